jfr2flame --frobnicate in.jfr
