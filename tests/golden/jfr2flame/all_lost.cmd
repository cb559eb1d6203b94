jfr2flame data/jfr/spark-killed.jfr out.html
echo $?; ls
exit 2
