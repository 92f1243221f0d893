#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/mysql/captures with a real MariaDB server.
# Needs Debian's mariadb-server and mariadb-client, tcpdump and openssl; run as root. The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/mysql
protocol=mysql
. "$(dirname "$0")/scene.sh"
port=13399
server=
filter="tcp port $port"
end() { end_process "$server"; }

chmod 755 "$work"
mkdir "$work/data"
(cd "$work" && openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 30 -keyout key.pem -out cert.pem 2>/dev/null)
chown -R mysql "$work"
mariadb-install-db --no-defaults --user=mysql --datadir="$work/data" --auth-root-authentication-method=normal \
  --skip-test-db >/dev/null 2>&1
mariadbd --no-defaults --user=mysql --datadir="$work/data" --port=$port --bind-address=127.0.0.1 --socket="$work/socket" \
  --pid-file="$work/pid" --ssl-cert="$work/cert.pem" --ssl-key="$work/key.pem" --local-infile=1 --max-connections=10 \
  --innodb-buffer-pool-size=32M --innodb-log-file-size=8M --plugin-load-add=auth_ed25519 --character-set-server=utf8mb4 \
  --log-bin=binlog --server-id=1 >"$work/log" 2>&1 &
server=$!
until mariadb-admin --no-defaults --socket="$work/socket" ping >/dev/null 2>&1; do sleep 0.2; done
mariadb --no-defaults --socket="$work/socket" <<'SQL'
create database shop;
create user tester@'127.0.0.1';
create user app@'127.0.0.1' identified by 'secret';
create user curve@'127.0.0.1' identified via ed25519 using password('secret');
grant all on *.* to tester@'127.0.0.1';
grant all on shop.* to app@'127.0.0.1';
grant all on shop.* to curve@'127.0.0.1';
SQL
export port work here
export client="mariadb --no-defaults -h 127.0.0.1 -P $port --default-character-set=utf8mb4 --skip-ssl"

record text <<'RUN'
$client -u app -psecret shop --force >/dev/null 2>&1 <<'SQL'
create table items (id int auto_increment primary key, name varchar(40), price decimal(8,2), added datetime default '2024-01-01 00:00:00', stock tinyint unsigned default 7);
insert into items (name, price) values ('tea', 3.5), ('Käse 🧀', 7.25), (null, null);
select id, name, price, added from items order by id;
select * from nowhere;
insert into items (id) values (1);
selec 1;
begin;
update items set price = price + 1 where id = 1;
select 1 / 0;
show warnings;
rollback;
use shop;
with dear as (select * from items where price > 5) select count(*) from dear;
/*!40101 SET NAMES utf8mb4 */;
delimiter //
create procedure report() begin select 1 as one; select 2 as two, 3 as three; update items set stock = 8; end//
delimiter ;
call report();
kill 999999;
select repeat('x', 20000) as big;
select seq from seq_1_to_300;
SQL
RUN

record connections <<'RUN'
$client -u app -psecret shop -e 'select 1' >/dev/null
$client -u app -pwrong shop -e 'select 1' 2>/dev/null
$client -u app -psecret nowhere -e 'select 1' 2>/dev/null
$client -u curve -psecret shop -e 'select 2' >/dev/null
mariadb-admin --no-defaults -h 127.0.0.1 -P $port --skip-ssl -u tester ping status processlist >/dev/null
# A connection that idles for too long, and more of them than the server takes.
(echo 'set wait_timeout = 1;'; sleep 3) | $client -u tester shop >/dev/null 2>&1 &
for i in 1 2 3 4 5 6 7 8 9 10 11; do
  mariadb --no-defaults --socket="$work/socket" -u root -e 'select sleep(2)' >/dev/null 2>&1 &
done
sleep 1
$client -u app -psecret -e 'select 3' >/dev/null 2>&1
wait
RUN

record prepared <<'RUN'
node "$here/mysql-client.mjs" $port
RUN

record prepared-deprecate-eof <<'RUN'
node "$here/mysql-client.mjs" $port deprecate-eof
RUN

record local-file <<'RUN'
printf '1\tone\n2\ttwo\n' >"$work/lines.tsv"
$client -u tester shop --local-infile=1 --force >/dev/null 2>&1 <<SQL
create table rows_in (n int, t text);
load data local infile '$work/lines.tsv' into table rows_in;
load data local infile '$work/lines.tsv' into table nowhere;
select * from rows_in;
SQL
RUN

record compressed <<'RUN'
$client -u app -psecret shop --compress --force >/dev/null 2>&1 <<'SQL'
select 1;
select repeat('abc', 3000) as big, 1 as n;
select * from nowhere;
select seq, seq * 2 from seq_1_to_100;
insert into items (name, price) values ('a name that is long enough for the client to find it worth the while to compress', 9.5);
SQL
RUN

record encrypted <<'RUN'
${client/--skip-ssl/--ssl} -u app -psecret shop -e 'select 1' >/dev/null
RUN

record replication <<'RUN'
timeout 3 mariadb-binlog --no-defaults --skip-ssl -h 127.0.0.1 -P $port -u tester -R --stop-never -j 4 binlog.000001 >/dev/null 2>&1 &
sleep 1
$client -u tester shop -e 'insert into items (name) values ("replicated")'
wait
RUN
