# Python workers are another input: a recording of a JVM alone has none.
jfr2flame --join --join-start 2026-01-02 data/jfr/spark-cpu-wall.jfr out.html
