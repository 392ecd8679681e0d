# gnuplot -p FILE draws this figure.
set encoding utf8
unset key
set clip two
set border 3 lc rgb '#4d4d4d' lw 1
set grid lc rgb '#e4e4e4' lt 1 lw 0.7
set tics nomirror out scale 0.5 textcolor rgb '#1a1a1a'
set multiplot
set xtics norotate
unset logscale x
set xrange [0:105]
set xtics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100) noenhanced
set xlabel "SM utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0:105]
set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100) noenhanced
set ylabel "memory utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.088462
set rmargin at screen 0.478846
set bmargin at screen 0.206000
set tmargin at screen 0.931114
unset label
unset arrow
unset object
set label "2 GPUs" at screen 0.088462, screen 0.956493 left noenhanced front textcolor rgb '#1a1a1a'
set label "model" at screen 0.028846, screen 0.071582 left noenhanced front textcolor rgb '#4d4d4d'
set label "" at screen 0.041769, screen 0.022025 point pt 7 ps 1 lc rgb '#0072b2'
set label "BERT" at screen 0.054692, screen 0.022025 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.179132, screen 0.022025 point pt 5 ps 1 lc rgb '#d55e00'
set label "DimeNet" at screen 0.192055, screen 0.022025 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.316495, screen 0.022025 point pt 9 ps 1 lc rgb '#009e73'
set label "InceptionV3" at screen 0.329418, screen 0.022025 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.453857, screen 0.022025 point pt 13 ps 1 lc rgb '#cc79a7'
set label "ResNet50" at screen 0.466780, screen 0.022025 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.591220, screen 0.022025 point pt 11 ps 1 lc rgb '#e69f00'
set label "SchNet" at screen 0.604143, screen 0.022025 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.728582, screen 0.022025 point pt 6 ps 1 lc rgb '#56b4e9'
set label "VGG16" at screen 0.741505, screen 0.022025 left noenhanced front textcolor rgb '#1a1a1a'
plot '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with points pt 11 ps 1 lc rgb '#e69f00' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
92.59 40.05
92.99 40.8
94.45 40.08
e
88.45 56.13
89.94 56.33
90.1 56.83
e
79.59 38.28
79.71 37.96
81 39.25
e
86.23 49.94
87.36 49.84
87.47 50.18
e
48.52 21.92
49.02 21.57
49.19 21.33
e
91.55 43.19
92.64 43.4
92.71 43.29
e
set xtics norotate
unset logscale x
set xrange [0:105]
set xtics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100) noenhanced
set xlabel "SM utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0:105]
set ytics ("0" 0, "20" 20, "40" 40, "60" 60, "80" 80, "100" 100) noenhanced
set ylabel "memory utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.588462
set rmargin at screen 0.978846
set bmargin at screen 0.206000
set tmargin at screen 0.931114
unset label
unset arrow
unset object
set label "424 GPUs" at screen 0.588462, screen 0.956493 left noenhanced front textcolor rgb '#1a1a1a'
plot '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with points pt 11 ps 1 lc rgb '#e69f00' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
93.51 16.4
94.22 16.03
97.22 16.26
e
74.74 43.72
74.75 44.11
74.75 44.77
e
67.7 21.95
68.19 21.52
68.85 21.61
e
81.97 32.26
82.39 32.63
83.41 32.91
e
20.82 7.305
20.92 7.397
21.35 7.405
e
84.92 25
85.46 25.19
85.92 25.4
e
unset multiplot
