printf 'a;b 1\n' | flame-filter --hide a -f svg | grep -o '</svg>' | tail -n 1
