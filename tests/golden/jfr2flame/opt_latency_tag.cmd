mkjfr data/jfr-text/span.txt >span.jfr
jfr2flame -q --tag stage_1 -o collapsed span.jfr
echo
jfr2flame -q --tag 'stage_.' -o collapsed span.jfr
echo
jfr2flame -q --latency 100ns -o collapsed span.jfr
echo
jfr2flame -q --empty ok --latency=1 -o collapsed span.jfr
