# SPDX-License-Identifier: Apache-2.0
#
# serve.pl POLICY: serves the files of this folder on loopback, with that
# Content-Security-Policy, until it is killed or two minutes have gone; prints
# its port.
use strict;
use warnings;
use IO::Socket::INET;

my ($policy) = @ARGV;
my %types = (html => 'text/html', js => 'text/javascript', css => 'text/css');
my $server = IO::Socket::INET->new(LocalAddr => '127.0.0.1', Listen => 9)
	or die "serve.pl: $@\n";
$| = 1;
print $server->sockport, "\n";
close STDOUT;
alarm 120;
while (my $client = $server->accept) {
	my ($name) = (<$client> // '') =~ m{^GET /([\w.-]+)};
	while (my $line = <$client>) {
		last if $line !~ /\S/;
	}
	my $body;
	if ($name && open my $file, '<:raw', $name) {
		local $/;
		$body = <$file>;
	}
	my ($suffix) = ($name // '') =~ /(\w+)$/;
	print $client 'HTTP/1.0 ', defined $body ? '200 OK' : '404 None',
		"\r\nContent-Type: ", $types{$suffix // ''} // 'text/plain',
		"\r\nContent-Security-Policy: $policy\r\n\r\n", $body // '';
	close $client;
}
