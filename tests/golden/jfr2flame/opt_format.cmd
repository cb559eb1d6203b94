echo 'a 1' | jfr2flame -f svg | head -c 5; echo
echo 'a 1' | jfr2flame --format folded
echo 'a 1' | jfr2flame --format=html | head -n 1
