jfr2flame -Z in.jfr
