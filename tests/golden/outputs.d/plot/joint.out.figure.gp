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
set xtics ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100) noenhanced
set xlabel "SM utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0:105]
set ytics ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100) noenhanced
set ylabel "memory utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.088462
set rmargin at screen 0.478846
set bmargin at screen 0.206000
set tmargin at screen 0.931114
unset label
unset arrow
set label "gpus 2" at screen 0.088462, screen 0.956493 left noenhanced textcolor rgb '#1a1a1a'
set label "model" at screen 0.028846, screen 0.071582 left noenhanced textcolor rgb '#4d4d4d'
set label "BERT" at screen 0.038462, screen 0.022025 left noenhanced point pt 7 ps 1 lc rgb '#0072b2' offset 1.2, -0.18 textcolor rgb '#1a1a1a'
set label "DimeNet" at screen 0.175824, screen 0.022025 left noenhanced point pt 5 ps 1 lc rgb '#d55e00' offset 1.2, -0.18 textcolor rgb '#1a1a1a'
set label "InceptionV3" at screen 0.313187, screen 0.022025 left noenhanced point pt 9 ps 1 lc rgb '#009e73' offset 1.2, -0.18 textcolor rgb '#1a1a1a'
set label "ResNet50" at screen 0.450549, screen 0.022025 left noenhanced point pt 13 ps 1 lc rgb '#cc79a7' offset 1.2, -0.18 textcolor rgb '#1a1a1a'
set label "SchNet" at screen 0.587912, screen 0.022025 left noenhanced point pt 11 ps 1 lc rgb '#e69f00' offset 1.2, -0.18 textcolor rgb '#1a1a1a'
set label "VGG16" at screen 0.725275, screen 0.022025 left noenhanced point pt 6 ps 1 lc rgb '#56b4e9' offset 1.2, -0.18 textcolor rgb '#1a1a1a'
plot '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with points pt 11 ps 1 lc rgb '#e69f00' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
9.259000000000000341e+01 4.004999999999999716e+01
9.298999999999999488e+01 4.079999999999999716e+01
9.445000000000000284e+01 4.007999999999999829e+01
e
8.845000000000000284e+01 5.613000000000000256e+01
8.993999999999999773e+01 5.632999999999999829e+01
9.009999999999999432e+01 5.682999999999999829e+01
e
7.959000000000000341e+01 3.828000000000000114e+01
7.970999999999999375e+01 3.796000000000000085e+01
8.100000000000000000e+01 3.925000000000000000e+01
e
8.623000000000000398e+01 4.993999999999999773e+01
8.735999999999999943e+01 4.984000000000000341e+01
8.746999999999999886e+01 5.017999999999999972e+01
e
4.852000000000000313e+01 2.192000000000000171e+01
4.902000000000000313e+01 2.157000000000000028e+01
4.918999999999999773e+01 2.132999999999999829e+01
e
9.154999999999999716e+01 4.318999999999999773e+01
9.264000000000000057e+01 4.339999999999999858e+01
9.270999999999999375e+01 4.328999999999999915e+01
e
set xtics norotate
unset logscale x
set xrange [0:105]
set xtics ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100) noenhanced
set xlabel "SM utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0:105]
set ytics ('0' 0, '20' 20, '40' 40, '60' 60, '80' 80, '100' 100) noenhanced
set ylabel "memory utilisation \133\045\135" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.588462
set rmargin at screen 0.978846
set bmargin at screen 0.206000
set tmargin at screen 0.931114
unset label
unset arrow
set label "gpus 424" at screen 0.588462, screen 0.956493 left noenhanced textcolor rgb '#1a1a1a'
plot '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with points pt 11 ps 1 lc rgb '#e69f00' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
9.351000000000000512e+01 1.639999999999999858e+01
9.421999999999999886e+01 1.603000000000000114e+01
9.721999999999999886e+01 1.626000000000000156e+01
e
7.473999999999999488e+01 4.371999999999999886e+01
7.475000000000000000e+01 4.410999999999999943e+01
7.475000000000000000e+01 4.477000000000000313e+01
e
6.770000000000000284e+01 2.194999999999999929e+01
6.818999999999999773e+01 2.151999999999999957e+01
6.884999999999999432e+01 2.160999999999999943e+01
e
8.196999999999999886e+01 3.225999999999999801e+01
8.239000000000000057e+01 3.263000000000000256e+01
8.340999999999999659e+01 3.290999999999999659e+01
e
2.082000000000000028e+01 7.304999999999999716e+00
2.092000000000000171e+01 7.397000000000000242e+00
2.135000000000000142e+01 7.405000000000000249e+00
e
8.492000000000000171e+01 2.500000000000000000e+01
8.545999999999999375e+01 2.519000000000000128e+01
8.592000000000000171e+01 2.539999999999999858e+01
e
unset multiplot
