# perf: the period of each sample, or how many there are.
printf 'java 1/2 1.5: 250 cycles:\n\tffff f (/lib/x)\n\tfffe main (/lib/x)\n\n' >one
cat one one >in
jfr2flame -q --weight period -o collapsed in
jfr2flame -q --weight=samples -o collapsed in
