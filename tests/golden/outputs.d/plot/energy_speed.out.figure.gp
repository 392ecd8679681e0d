# gnuplot -p FILE draws this figure.
set encoding utf8
unset key
set clip two
set border 3 lc rgb '#4d4d4d' lw 1
set grid lc rgb '#e4e4e4' lt 1 lw 0.7
set tics nomirror out scale 0.5 textcolor rgb '#1a1a1a'
set multiplot
set xtics norotate
set logscale x
set xrange [0.87636919107130973:9.128572845218887]
set xtics ("1" 1, "2" 2, "4" 4, "8" 8) noenhanced
set xlabel "gpus" noenhanced textcolor rgb '#1a1a1a'
set logscale y
set yrange [0.87908615003774804:8.4226768769230613]
set ytics ("1" 1, "2" 2, "4" 4, "8" 8) noenhanced
set ylabel "relative speed" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.088462
set rmargin at screen 0.478846
set bmargin at screen 0.242165
set tmargin at screen 0.934252
unset label
unset arrow
unset object
set label "speed" at screen 0.088462, screen 0.958475 left noenhanced front textcolor rgb '#1a1a1a'
set label "model" at screen 0.028846, screen 0.113870 left noenhanced front textcolor rgb '#4d4d4d'
set label "" at screen 0.041769, screen 0.066570 point pt 7 ps 1 lc rgb '#0072b2'
set label "A" at screen 0.054692, screen 0.066570 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.179132, screen 0.066570 point pt 5 ps 1 lc rgb '#d55e00'
set label "B" at screen 0.192055, screen 0.066570 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.316495, screen 0.066570 point pt 9 ps 1 lc rgb '#009e73'
set label "node power" at screen 0.329418, screen 0.066570 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.453857, screen 0.066570 point pt 13 ps 1 lc rgb '#cc79a7'
set label "one N" at screen 0.466780, screen 0.066570 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.591220, screen 0.066570 point pt 11 ps 1 lc rgb '#e69f00'
set label "one run" at screen 0.604143, screen 0.066570 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.728582, screen 0.066570 point pt 6 ps 1 lc rgb '#56b4e9'
set label "single runs" at screen 0.741505, screen 0.066570 left noenhanced front textcolor rgb '#1a1a1a'
set arrow from screen 0.041769, screen 0.016818 to screen 0.041769, screen 0.039241 heads size screen 0.004,90 lw 1.2 lc rgb '#4d4d4d'
set label "95 \045 interval of the ratio" at screen 0.062446, screen 0.028030 left noenhanced front textcolor rgb '#1a1a1a'
plot '-' with lines lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with lines lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with lines lw 1.2 lc rgb '#009e73' notitle, \
     '-' with lines lw 1.2 lc rgb '#cc79a7' notitle, \
     '-' with lines lw 1.2 lc rgb '#e69f00' notitle, \
     '-' with lines lw 1.2 lc rgb '#56b4e9' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with points pt 11 ps 1 lc rgb '#e69f00' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
1 1
2 1.9469103501105791
4 3.623397150393296
8 6.8393160092972325
e
1 1
2 1.5199819222313935
4 2.448887682938168
8 3.589279760358322
e
2 1
4 1.7797083409616599
8 3.0739658087829613
e
4 1
e
4 1
e
1 1
2 2.021471172962227
4 4.038446262610216
e
2 1.7983617085464922 0 0.30936772839269744
4 3.375095070801449 0 0.5148714735663358
8 6.317478369289355 0 1.0867802194569025
e
1 1
2 1.9469103501105791
4 3.623397150393296
8 6.8393160092972325
e
2 1.4380826731352074 0 0.16846268553557664
4 2.316937388385255 0 0.271415198831527
8 3.3958831726292114 0 0.3978071704173898
e
1 1
2 1.5199819222313935
4 2.448887682938168
8 3.589279760358322
e
4 1.7113747071991663 0 0.1393957672997843
8 2.955937899972746 0 0.24076856454865236
e
2 1
4 1.7797083409616599
8 3.0739658087829613
e
4 1
e
4 1
e
1 1
2 2.021471172962227
4 4.038446262610216
e
set xtics norotate
set logscale x
set xrange [0.87636919107130973:9.128572845218887]
set xtics ("1" 1, "2" 2, "4" 4, "8" 8) noenhanced
set xlabel "gpus" noenhanced textcolor rgb '#1a1a1a'
set logscale y
set yrange [0.80278538520722964:2.0992239865714484]
set ytics ("1" 1, "1.5" 1.5, "2" 2) noenhanced
set ylabel "relative energy" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.588462
set rmargin at screen 0.978846
set bmargin at screen 0.242165
set tmargin at screen 0.934252
unset label
unset arrow
unset object
set label "energy" at screen 0.588462, screen 0.958475 left noenhanced front textcolor rgb '#1a1a1a'
plot '-' with lines lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with lines lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with lines lw 1.2 lc rgb '#009e73' notitle, \
     '-' with lines lw 1.2 lc rgb '#cc79a7' notitle, \
     '-' with lines lw 1.2 lc rgb '#e69f00' notitle, \
     '-' with lines lw 1.2 lc rgb '#56b4e9' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#009e73' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with points pt 11 ps 1 lc rgb '#e69f00' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
1 1
2 0.973478427399784
4 1.0073239874465372
8 1.0187770752265166
e
1 1
2 1.2140602336003152
4 1.3643051331441314
8 1.7910470905405516
e
2 1
4 1.0793963227469339
8 1.2748705684379817
e
4 1
e
4 1
e
1 1
2 1.0247323798920949
4 1.0404213410978844
e
2 0.8703233497050716 0 0.21853661128976098
4 0.9112953247246928 0 0.2021764425004252
8 0.9108219060202613 0 0.2287057251739838
e
1 1
2 0.973478427399784
4 1.0073239874465372
8 1.0187770752265166
e
2 1.1229738319182332 0 0.18956098315568903
4 1.261946418201324 0 0.21301992702307349
8 1.6566715215156882 0 0.2796505790772612
e
1 1
2 1.2140602336003152
4 1.3643051331441314
8 1.7910470905405516
e
4 0.9791519907133825 0 0.21075155093263542
8 1.1564723991380648 0 0.2489177921719381
e
2 1
4 1.0793963227469339
8 1.2748705684379817
e
4 1
e
4 1
e
1 1
2 1.0247323798920949
4 1.0404213410978844
e
unset multiplot
