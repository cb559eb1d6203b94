echo 'a 1' >one
jfr2flame --diff one
echo $?
jfr2flame --diff one one one -o collapsed
