mkdir folder
jfr2flame -o collapsed folder
