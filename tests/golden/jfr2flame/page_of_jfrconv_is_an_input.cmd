# As async-profiler writes them since 3.0; "heatmap" is our page with times.
cat >page.html <<'EOF'
<!DOCTYPE html>
<script>
const cpool = [
'all',
' java/lang/Thread.run',
' App.work'];
unpack(cpool);

n(3,10)
u(11,10)
u(17,4)
EOF
flame-fold page.html
jfr2flame -q --collapsed page.html
flame-top -q page.html | tail -n 3
jfr2flame -q -e cpu -o heatmap data/jfr/spark-cpu-wall.jfr >heat.html
jfr2flame -q -e cpu --time data/jfr/spark-cpu-wall.jfr | cmp - heat.html
flame-fold -q heat.html | awk '{ n += $NF } END { print n }'
