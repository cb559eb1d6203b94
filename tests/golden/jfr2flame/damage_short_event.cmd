# An event that ends inside its stack's key is left out, and that is reported.
mkjfr data/jfr-text/short_event.txt >in.jfr
jfr2flame -o collapsed in.jfr - 2>&1
jfr2flame -q --partial fail -o collapsed in.jfr - >out
echo $?
