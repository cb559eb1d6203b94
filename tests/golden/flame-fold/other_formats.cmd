echo 'a 1' | flame-fold -f svg | head -c 5; echo
echo 'a 1' | flame-fold -o x.html; head -n 1 x.html
echo 'a 1' | flame-fold -f collapsed -o x.html; cat x.html
echo 'a;b_[j] 1' | flame-fold -o x.otlp; flame-fold x.otlp
echo 'a;b_[j] 1' | flame-fold -o x.otlp.gz; gzip -d <x.otlp.gz | cmp - x.otlp
