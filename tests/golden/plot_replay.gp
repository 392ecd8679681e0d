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
set xrange [1:8.3499999999999996]
set xtics ("2" 2, "4" 4, "6" 6, "8" 8) noenhanced
set xlabel "recurrence" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0.67479415263697062:0.87984903133271053]
set ytics ("0.7" 0.70000000000000007, "0.75" 0.75, "0.8" 0.80000000000000004, "0.85" 0.85000000000000009) noenhanced
set ylabel "cost over that of the default" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.088462
set rmargin at screen 0.478846
set bmargin at screen 0.600710
set tmargin at screen 0.949084
unset label
unset arrow
unset object
set label "cost so far" at screen 0.088462, screen 0.967842 left noenhanced front textcolor rgb '#1a1a1a'
set object rectangle from screen 0.028846, screen 0.013024 to screen 0.054692, screen 0.030389 fillcolor rgb '#0072b2' fillstyle transparent solid 0.16 border lc rgb '#0072b2'
set label "95 \045 interval of the mean" at screen 0.062446, screen 0.021706 left noenhanced front textcolor rgb '#1a1a1a'
plot '-' with filledcurves fs transparent solid 0.16 noborder lc rgb '#0072b2' notitle, \
     '-' with lines dt 3 lw 1.2 lc rgb '#8c8c8c' notitle, \
     '-' with lines lw 2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle
1 0.7949039264828739 0.7949039264828739
2 0.6967927254506164 0.8705283550283587
3 0.6841148289413225 0.8590486352747733
4 0.7253707171289496 0.8488774031718022
5 0.7078963648604311 0.8666232675539381
6 0.7207682142494356 0.8605229766908781
7 0.7216323325861614 0.8414221289645407
8 0.7058709703987064 0.8536006252570998
e
1 1
8 1
e
1 0.7949039264828739
2 0.7836605402394875
3 0.7715817321080479
4 0.787124060150376
5 0.7872598162071847
6 0.7906455954701569
7 0.781527230775351
8 0.7797357978279031
e
8 0.7797357978279031
e
set xtics norotate
unset logscale x
set xrange [1:8.3499999999999996]
set xtics ("2" 2, "4" 4, "6" 6, "8" 8) noenhanced
set xlabel "recurrence" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0.45210018677334468:0.60416955526229732]
set ytics ("0.5" 0.5, "0.55" 0.55000000000000004, "0.6" 0.60000000000000009) noenhanced
set ylabel "energy over that of the default" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.588462
set rmargin at screen 0.978846
set bmargin at screen 0.600710
set tmargin at screen 0.949084
unset label
unset arrow
unset object
set label "energy so far" at screen 0.588462, screen 0.967842 left noenhanced front textcolor rgb '#1a1a1a'
plot '-' with filledcurves fs transparent solid 0.16 noborder lc rgb '#0072b2' notitle, \
     '-' with lines dt 3 lw 1.2 lc rgb '#8c8c8c' notitle, \
     '-' with lines lw 2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle
1 0.5582010582010583 0.5582010582010583
2 0.48343051944775844 0.5972573112400722
3 0.4590124307955698 0.5922319352636112
4 0.49257219126372476 0.5762843637039413
5 0.47823709631720496 0.5859016455993146
6 0.48600677886607796 0.5771423490978649
7 0.4846044499124206 0.5627206529682379
8 0.4730126769826548 0.5690581636992971
e
1 1
8 1
e
1 0.5582010582010583
2 0.5403439153439153
3 0.5256221830295905
4 0.534428277483833
5 0.5320693709582598
6 0.5315745639819714
7 0.5236625514403292
8 0.5210354203409759
e
8 0.5210354203409759
e
set xtics norotate
unset logscale x
set xrange [1:8.3499999999999996]
set xtics ("2" 2, "4" 4, "6" 6, "8" 8) noenhanced
set xlabel "recurrence" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0.87506472460170681:1.1311945033591582]
set ytics ("0.9" 0.90000000000000002, "0.95" 0.95000000000000007, "1" 1, "1.05" 1.05, "1.1" 1.1000000000000001) noenhanced
set ylabel "time over that of the default" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.088462
set rmargin at screen 0.478846
set bmargin at screen 0.118347
set tmargin at screen 0.466720
unset label
unset arrow
unset object
set label "time so far" at screen 0.088462, screen 0.485479 left noenhanced front textcolor rgb '#1a1a1a'
set label "default" at graph 0.92073, graph 0.58977 right noenhanced front textcolor rgb '#1a1a1a'
plot '-' with filledcurves fs transparent solid 0.16 noborder lc rgb '#0072b2' notitle, \
     '-' with lines dt 3 lw 1.2 lc rgb '#8c8c8c' notitle, \
     '-' with lines lw 2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle
1 1.007936507936508 1.007936507936508
2 0.8888187108531888 1.1164722944378163
3 0.8867069872725001 1.099183665284819
4 0.9348715102956449 1.0942290188048842
5 0.9143101931740687 1.119552240688365
6 0.9318044233743265 1.115814624244721
7 0.9347439275181302 1.0924669568356113
8 0.9153124840270367 1.1098197911052383
e
1 1
8 1
e
1 1.007936507936508
2 1.0026455026455026
3 0.9929453262786596
4 1.0145502645502644
5 1.0169312169312168
6 1.0238095238095237
7 1.0136054421768708
8 1.0125661375661374
e
8 1.0125661375661374
e
set xtics norotate
unset logscale x
set xrange [1:8.3499999999999996]
set xtics ("2" 2, "4" 4, "6" 6, "8" 8) noenhanced
set xlabel "recurrence" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [-8513.1254620818581:7048.1254620818581]
set ytics ("-5000" -5000, "0" 0, "5000" 5000) noenhanced
set ylabel "cost above the oracle\047s \133J\135" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.588462
set rmargin at screen 0.978846
set bmargin at screen 0.118347
set tmargin at screen 0.466720
unset label
unset arrow
unset object
set label "regret so far" at screen 0.588462, screen 0.485479 left noenhanced front textcolor rgb '#1a1a1a'
set label "oracle" at graph 0.03317, graph 0.47698 left noenhanced front textcolor rgb '#1a1a1a'
plot '-' with filledcurves fs transparent solid 0.16 noborder lc rgb '#0072b2' notitle, \
     '-' with lines dt 3 lw 1.2 lc rgb '#8c8c8c' notitle, \
     '-' with lines lw 2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle
1 90 90
2 -2168.7821527122433 1990.4488193789075
3 -3708.436492717108 2573.436492717108
4 -2969.2500638658894 2944.2500638658894
5 -4757.402563103198 4742.402563103198
6 -4784.426852605531 5252.76018593886
7 -5509.426852605531 4527.760185938867
8 -7805.795874619871 6340.795874619871
e
1 0
8 0
e
1 90
2 -89.16666666666788
3 -567.5
4 -12.5
5 -7.5
6 234.16666666666424
7 -490.83333333333576
8 -732.5
e
8 -732.5
e
unset multiplot
