# Tables of Grafana's panel and of Instruments.
printf '"level","value","self","label"\n0,10,0,total\n1,10,3,main\n2,7,7,leaf\n' | flame-fold -i tree
printf 'Running Time,Self,,Symbol Name\n100.0ms  100.0%%,0.0,,foo\n50.0ms   50.0%%,10.0,, bar\n40.0ms  40%%,40.0,,  baz\n50.0ms 50%%,50.0,, qux\n40.0ms 40%%,40.0,,zoo\n' | flame-fold -i tree
