jfr2flame -V | sed 's/[0-9][0-9.]*$/N/'
jfr2flame --version | sed 's/[0-9][0-9.]*$/N/'
