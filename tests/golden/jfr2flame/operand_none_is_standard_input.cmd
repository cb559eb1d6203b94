echo 'a 1' | jfr2flame --collapsed
echo 'a 1' | jfr2flame --collapsed -
echo 'a 1' | jfr2flame --collapsed - -
