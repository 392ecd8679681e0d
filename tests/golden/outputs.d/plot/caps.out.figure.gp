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
set xrange [770:1430]
set xtics ("800" 800, "900" 900, "1000" 1000, "1100" 1100, "1200" 1200, "1300" 1300, "1400" 1400) noenhanced
set xlabel "clock_mhz \133MHz\135" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0:1.2]
set ytics ("0" 0, "0.2" 0.20000000000000001, "0.4" 0.40000000000000002, "0.6" 0.60000000000000009, "0.8" 0.80000000000000004, "1" 1, "1.2" 1.2000000000000002) noenhanced
set ylabel "speed relative to each group\047s greatest" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.088462
set rmargin at screen 0.478846
set bmargin at screen 0.272742
set tmargin at screen 0.936905
unset label
unset arrow
unset object
set label "speed" at screen 0.088462, screen 0.960150 left noenhanced front textcolor rgb '#1a1a1a'
set label "as at each group\047s greatest" at graph 0.93592, graph 0.87890 right noenhanced front textcolor rgb '#1a1a1a'
set label "model" at screen 0.028846, screen 0.149623 left noenhanced front textcolor rgb '#4d4d4d'
set label "" at screen 0.041769, screen 0.104232 point pt 7 ps 1 lc rgb '#0072b2'
set label "A" at screen 0.054692, screen 0.104232 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.234077, screen 0.104232 point pt 5 ps 1 lc rgb '#d55e00'
set label "B" at screen 0.247000, screen 0.104232 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.426385, screen 0.104232 point pt 9 ps 1 lc rgb '#009e73'
set label "edge" at screen 0.439308, screen 0.104232 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.618692, screen 0.104232 point pt 13 ps 1 lc rgb '#cc79a7'
set label "one N, single runs" at screen 0.631615, screen 0.104232 left noenhanced front textcolor rgb '#1a1a1a'
set label "" at screen 0.811000, screen 0.104232 point pt 6 ps 1 lc rgb '#56b4e9'
set label "other N" at screen 0.823923, screen 0.104232 left noenhanced front textcolor rgb '#1a1a1a'
set arrow from screen 0.041769, screen 0.056487 to screen 0.041769, screen 0.078006 heads size screen 0.004,90 lw 1.2 lc rgb '#4d4d4d'
set label "95 \045 interval" at screen 0.062446, screen 0.067246 left noenhanced front textcolor rgb '#1a1a1a'
set label "1 group has one value of clock_mhz only" at screen 0.028846, screen 0.023536 left noenhanced front textcolor rgb '#4d4d4d'
plot '-' with lines dt 3 lw 1.2 lc rgb '#8c8c8c' notitle, \
     '-' with lines lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with lines lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with lines lw 1.2 lc rgb '#009e73' notitle, \
     '-' with lines lw 1.2 lc rgb '#cc79a7' notitle, \
     '-' with lines lw 1.2 lc rgb '#56b4e9' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
800 1
1400 1
e
800 0.6709137597935547
900 0.7357381305666583
1000 0.7938277082500793
1100 0.8510995863315614
1200 0.9022549051177193
1300 0.9503140439705723
1400 1
e
800 0.6737539957871559
900 0.7340438496968903
1000 0.7961344590600341
1100 0.8490760535347313
1200 0.9025665045321688
1300 0.9512924426883214
1400 1
e
900 0.8143448338934994
1000 0.8790631093121404
1100 0.9408796724342887
1200 1
e
800 0.6725971967295177
1100 0.8543156890796376
1400 1
e
1000 0.795430233301835
1200 0.9059565829674934
1400 1
e
800 0.6610714457316542 0 0.019831164699716575
900 0.7225923308595389 0 0.026530755079970825
1000 0.7800542124764621 0 0.027790191548967114
1100 0.8313545502833535 0 0.03995902538284701
1200 0.8864354274055803 0 0.03192127251963317
1300 0.9353297837400555 0 0.030208572749070517
e
800 0.6709137597935547
900 0.7357381305666583
1000 0.7938277082500793
1100 0.8510995863315614
1200 0.9022549051177193
1300 0.9503140439705723
1400 1
e
800 0.6656662383307038 0 0.016273780104839486
900 0.7257487838256224 0 0.016684941571146417
1000 0.7864548931680664 0 0.019478266392507382
1100 0.8380829790915648 0 0.022130344256872325
1200 0.8901046112096974 0 0.025098259154381575
1300 0.9402052385663384 0 0.022305152139234674
e
800 0.6737539957871559
900 0.7340438496968903
1000 0.7961344590600341
1100 0.8490760535347313
1200 0.9025665045321688
1300 0.9512924426883214
1400 1
e
900 0.8143448338934994
1000 0.8790631093121404
1100 0.9408796724342887
1200 1
e
800 0.6725971967295177
1100 0.8543156890796376
1400 1
e
1000 0.7822405500553842 0 0.02660176322767782
1200 0.8909341713666961 0 0.030298122331380406
e
1000 0.795430233301835
1200 0.9059565829674934
1400 1
e
set xtics norotate
unset logscale x
set xrange [770:1430]
set xtics ("800" 800, "900" 900, "1000" 1000, "1100" 1100, "1200" 1200, "1300" 1300, "1400" 1400) noenhanced
set xlabel "clock_mhz \133MHz\135" noenhanced textcolor rgb '#1a1a1a'
unset logscale y
set yrange [0:1.2]
set ytics ("0" 0, "0.2" 0.20000000000000001, "0.4" 0.40000000000000002, "0.6" 0.60000000000000009, "0.8" 0.80000000000000004, "1" 1, "1.2" 1.2000000000000002) noenhanced
set ylabel "energy relative to each group\047s greatest" noenhanced textcolor rgb '#1a1a1a'
set lmargin at screen 0.588462
set rmargin at screen 0.978846
set bmargin at screen 0.272742
set tmargin at screen 0.936905
unset label
unset arrow
unset object
set label "energy" at screen 0.588462, screen 0.960150 left noenhanced front textcolor rgb '#1a1a1a'
set label "as at each group\047s greatest" at graph 0.93592, graph 0.87890 right noenhanced front textcolor rgb '#1a1a1a'
plot '-' with lines dt 3 lw 1.2 lc rgb '#8c8c8c' notitle, \
     '-' with lines lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with lines lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with lines lw 1.2 lc rgb '#009e73' notitle, \
     '-' with lines lw 1.2 lc rgb '#cc79a7' notitle, \
     '-' with lines lw 1.2 lc rgb '#56b4e9' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#0072b2' notitle, \
     '-' with points pt 7 ps 1 lc rgb '#0072b2' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#d55e00' notitle, \
     '-' with points pt 5 ps 1 lc rgb '#d55e00' notitle, \
     '-' with points pt 9 ps 1 lc rgb '#009e73' notitle, \
     '-' with points pt 13 ps 1 lc rgb '#cc79a7' notitle, \
     '-' with vectors heads size screen 0.004,90 lw 1.2 lc rgb '#56b4e9' notitle, \
     '-' with points pt 6 ps 1 lc rgb '#56b4e9' notitle
800 1
1400 1
e
800 0.6831684078360938
900 0.6986668307242732
1000 0.7278691096117939
1100 0.7752692883960055
1200 0.837333921276434
1300 0.9139125229531967
1400 1
e
800 0.6806987414002512
900 0.6872678842325564
1000 0.7220975494198776
1100 0.7671953117489804
1200 0.8329801390213126
1300 0.908960165932459
1400 1
e
900 0.8315300591667006
1000 0.8694712234680791
1100 0.9252761802308731
1200 1
e
800 0.6834974943839636
1100 0.7753412821842057
1400 1
e
1000 0.7288466701477961
1200 0.8361087872613036
1400 1
e
800 0.6767951308909367 0 0.01280657007123187
900 0.6931850452989335 0 0.011006921427344496
1000 0.7214721103104115 0 0.012850718189671873
1100 0.7688542409913619 0 0.012883619692171
1200 0.82348275963219 0 0.02793530288235435
1300 0.9067864756961161 0 0.014308095073136351
e
800 0.6831684078360938
900 0.6986668307242732
1000 0.7278691096117939
1100 0.7752692883960055
1200 0.837333921276434
1300 0.9139125229531967
1400 1
e
800 0.6745557636037538 0 0.012341897856398942
900 0.6793085198993684 0 0.016011987441634346
1000 0.715571176293063 0 0.013112270096402034
1100 0.7596209682540004 0 0.01522421239246674
1200 0.8248545574963181 0 0.016331207555434823
1300 0.8946649538858112 0 0.028818837072446035
e
800 0.6806987414002512
900 0.6872678842325564
1000 0.7220975494198776
1100 0.7671953117489804
1200 0.8329801390213126
1300 0.908960165932459
1400 1
e
900 0.8315300591667006
1000 0.8694712234680791
1100 0.9252761802308731
1200 1
e
800 0.6834974943839636
1100 0.7753412821842057
1400 1
e
1000 0.7168411152078917 0 0.02421217723819158
1200 0.8223364118189257 0 0.02777540870629891
e
1000 0.7288466701477961
1200 0.8361087872613036
1400 1
e
unset multiplot
