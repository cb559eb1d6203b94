jfr2flame in.jfr --depth
