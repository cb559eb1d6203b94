/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two NameNodes of the nameservice "prof" and a DataNode, on loopback:
 *
 *	java NameNodes FOLDER [kerberos]
 *
 * FOLDER/conf gets Hadoop's configuration; with kerberos, FOLDER also
 * krb5.conf and alice.keytab, of a KDC of its own, and only alice may read
 * what is put.  Commands come on standard input, and each is answered by a
 * line: put FILE PATH, failover, kill (the active one), tokens FILE WRITABLE or
 * PROTOBUF (those that a job gets), quit.
 */
import java.io.BufferedReader;
import java.io.DataOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.file.Files;
import java.util.Properties;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.permission.FsPermission;
import org.apache.hadoop.hdfs.HdfsConfiguration;
import org.apache.hadoop.hdfs.MiniDFSCluster;
import org.apache.hadoop.hdfs.MiniDFSNNTopology;
import org.apache.hadoop.minikdc.MiniKdc;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;

public class NameNodes {
	static final String NAME = "prof";
	static MiniDFSCluster cluster;

	static void write(File file, String... settings) throws Exception {
		Configuration conf = new Configuration(false);

		for (int i = 0; i < settings.length; i += 2)
			conf.set(settings[i], settings[i + 1]);
		try (OutputStream out = new FileOutputStream(file)) {
			conf.writeXml(out);
		}
	}

	/* A KDC, and what the servers need of it. */
	static void secure(Configuration conf, File folder) throws Exception {
		Properties properties = MiniKdc.createConf();
		File keytab = new File(folder, "hdfs.keytab");
		String http = "HTTP/localhost@EXAMPLE.COM";
		String hdfs = "hdfs/localhost@EXAMPLE.COM";
		MiniKdc kdc = new MiniKdc(properties, folder);

		kdc.start();
		kdc.createPrincipal(keytab, "hdfs/localhost", "HTTP/localhost");
		kdc.createPrincipal(new File(folder, "alice.keytab"), "alice");
		Files.writeString(new File(folder, "krb5.conf").toPath(),
			"[libdefaults]\ndefault_realm = EXAMPLE.COM\n" +
			"dns_lookup_kdc = false\nrdns = false\n" +
			"dns_canonicalize_hostname = false\n" +
			"udp_preference_limit = 1\n" +
			"[realms]\nEXAMPLE.COM = {\nkdc = localhost:" +
			kdc.getPort() + "\n}\n" +
			"[domain_realm]\nlocalhost = EXAMPLE.COM\n");
		conf.set("hadoop.security.authentication", "kerberos");
		conf.set("hadoop.security.auth_to_local",
			 "RULE:[2:$1/$2@$0](hdfs/.*)s/.*/hdfs/\n" +
			 "RULE:[2:$1/$2@$0](HTTP/.*)s/.*/http/\nDEFAULT");
		for (String server : new String[] { "namenode", "datanode" }) {
			conf.set("dfs." + server + ".kerberos.principal", hdfs);
			conf.set("dfs." + server + ".keytab.file",
				 keytab.getPath());
		}
		conf.set("dfs.web.authentication.kerberos.principal", http);
		conf.set("dfs.web.authentication.kerberos.keytab",
			 keytab.getPath());
		conf.set("hadoop.http.authentication.type", "kerberos");
		conf.set("hadoop.http.authentication.simple.anonymous.allowed",
			 "false");
		conf.set("hadoop.http.authentication.kerberos.principal", http);
		conf.set("hadoop.http.authentication.kerberos.keytab",
			 keytab.getPath());
		conf.set("dfs.block.access.token.enable", "true");
		conf.set("dfs.data.transfer.protection", "authentication");
		conf.set("dfs.http.policy", "HTTP_ONLY");
		conf.set("ignore.secure.ports.for.testing", "true");
		UserGroupInformation.setConfiguration(conf);
		UserGroupInformation.loginUserFromKeytab(hdfs,
							 keytab.getPath());
	}

	static void start(Configuration conf, File folder) throws Exception {
		MiniDFSNNTopology.NSConf nodes =
			new MiniDFSNNTopology.NSConf(NAME);

		nodes.addNN(new MiniDFSNNTopology.NNConf("nn1"));
		nodes.addNN(new MiniDFSNNTopology.NNConf("nn2"));
		conf.set("hdfs.minidfs.basedir", folder + "/data");
		conf.setInt("dfs.replication", 1);
		cluster = new MiniDFSCluster.Builder(conf)
			.nnTopology(new MiniDFSNNTopology().addNameservice(nodes))
			.numDataNodes(1).checkDataNodeAddrConfig(false)
			.format(true).build();
		cluster.transitionToActive(0);
		cluster.waitActive(0);
	}

	static void describe(File folder) throws Exception {
		String http = "dfs.namenode.http-address." + NAME;
		String rpc = "dfs.namenode.rpc-address." + NAME;
		String[] at = new String[4];

		for (int i = 0; i < 2; i++) {
			at[i] = "localhost:" + cluster.getNameNode(i)
				.getHttpAddress().getPort();
			at[2 + i] = "localhost:" + cluster.getNameNode(i)
				.getNameNodeAddress().getPort();
		}
		folder.mkdirs();
		write(new File(folder, "core-site.xml"),
		      "fs.defaultFS", "hdfs://" + NAME);
		write(new File(folder, "hdfs-site.xml"),
		      "dfs.nameservices", NAME,
		      "dfs.ha.namenodes." + NAME, "nn1,nn2",
		      http + ".nn1", at[0], http + ".nn2", at[1],
		      rpc + ".nn1", at[2], rpc + ".nn2", at[3]);
	}

	static int active() {
		return cluster.getNameNode(0) != null &&
		       cluster.getNameNode(0).isActiveState() ? 0 : 1;
	}

	static void run(String[] words, boolean kerberos) throws Exception {
		int at = active();

		if (words[0].equals("put")) {
			FileSystem fs = cluster.getFileSystem(at);
			Path path = new Path(words[2]);

			fs.copyFromLocalFile(new Path(words[1]), path);
			if (!kerberos)
				return;
			fs.setOwner(path, "alice", "alice");
			fs.setPermission(path, new FsPermission("600"));
		} else if (words[0].equals("failover")) {
			cluster.transitionToStandby(at);
			cluster.transitionToActive(1 - at);
		} else if (words[0].equals("tokens")) {
			Credentials tokens = new Credentials();

			cluster.getFileSystem(at).addDelegationTokens("alice",
								      tokens);
			try (DataOutputStream out = new DataOutputStream(
					new FileOutputStream(words[1]))) {
				tokens.writeTokenStorageToStream(out,
					Credentials.SerializedFormat.valueOf(
						words[2]));
			}
		} else if (words[0].equals("kill")) {
			cluster.shutdownNameNode(at);
			cluster.transitionToActive(1 - at);
		}
	}

	public static void main(String[] args) throws Exception {
		File folder = new File(args[0]).getAbsoluteFile();
		boolean kerberos = args.length > 1;
		Configuration conf = new HdfsConfiguration();
		BufferedReader in = new BufferedReader(
			new InputStreamReader(System.in));

		if (kerberos)
			secure(conf, folder);
		start(conf, folder);
		describe(new File(folder, "conf"));
		System.out.println("up");
		for (String line; (line = in.readLine()) != null;) {
			if (line.equals("quit"))
				break;
			try {
				run(line.split(" "), kerberos);
				System.out.println("done " + line);
			} catch (Exception e) {
				System.out.println("failed " + e);
			}
		}
		System.exit(0);
	}
}
