jfr2flame -V | sed -n '1s/[0-9][0-9.]*$/N/p'
jfr2flame --version | sed -n '1s/[0-9][0-9.]*$/N/p'
