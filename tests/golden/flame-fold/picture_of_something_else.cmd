echo '<svg xmlns="http://www.w3.org/2000/svg"><rect x="1" y="1" width="2"/></svg>' > x.svg
echo '<!DOCTYPE html><html><body><p>A page.</p></body></html>' > x.html
for file in x.svg x.html
do
	flame-fold $file
	echo $?
done
