# The page opens otherwise; other formats do not mind.
echo 'a 1' | jfr2flame --tree -o html >tree
echo 'a 1' | jfr2flame -o html >graph
cmp -s tree graph || echo other
echo 'a 1' | jfr2flame --tree -o collapsed
