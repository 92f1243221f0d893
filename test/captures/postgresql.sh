#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/postgresql/captures with a real server and its own clients.
# Needs Debian's postgresql 15, tcpdump and openssl; run as root. The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/postgresql
protocol=postgresql
. "$(dirname "$0")/scene.sh"
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
port=15499
filter="tcp port $port"
end() { as "$bin/pg_ctl" -D "$work/data" -m immediate -w stop >/dev/null 2>&1 || true; }
as() { (cd "$work" && runuser -u postgres -- "$@"); }

chown postgres "$work"
echo secret >"$work/password"
chmod 644 "$work/password"
as "$bin/initdb" -D "$work/data" -U postgres -A scram-sha-256 --pwfile="$work/password" -E UTF8 --locale=C >/dev/null
as openssl req -x509 -newkey rsa:2048 -nodes -subj /CN=localhost -days 30 \
  -keyout "$work/data/server.key" -out "$work/data/server.crt" 2>/dev/null
chmod 600 "$work/data/server.key"
cat >>"$work/data/postgresql.conf" <<CONF
port = $port
listen_addresses = '127.0.0.1'
unix_socket_directories = '$work'
wal_level = logical
max_wal_senders = 4
jit = off
CONF
as "$bin/pg_ctl" -D "$work/data" -l "$work/log" -w start >/dev/null
export PGHOST=127.0.0.1 PGPORT=$port PGUSER=postgres PGPASSWORD=secret PGSSLMODE=disable PGGSSENCMODE=disable
export PSQLRC=/dev/null PAGER= port work bin
psql -qc 'create database shop'
export PGDATABASE=shop

record simple <<'RUN'
psql -q <<'SQL'
create table items (id int primary key, name text, price numeric(8,2), added timestamptz default '2024-01-01 00:00:00+00');
insert into items (id, name, price) values (1, 'tea', 3.5), (2, 'Käse 🧀', 7.25), (3, null, null);
select id, name, price from items order by id;
select * from nowhere;
insert into items (id) values (1);
selec 1;
do $$ begin raise notice 'careful'; end $$;
set application_name = 'till';
begin;
select 1/0;
select 1;
rollback;
with dear as (select * from items where price > 5) update items set price = price + 1 where id in (select id from dear) returning id, price;
/* leading */ -- comments
select count(*) from items;
SQL
psql -c 'select 1 as one; select 2 as two, 3 as three; update items set price = 4 where id = 1' >/dev/null
psql -c '' >/dev/null
psql -c 'select 1; select broken; select 2' >/dev/null
psql -c "select repeat('x', 20000) as big, generate_series(1, 1)" >/dev/null
RUN

record extended <<'RUN'
psql -qc 'create table counts (id int primary key, n int); insert into counts values (1, 0), (2, 0)'
cat >"$work/one.sql" <<'SQL'
\set id random(1, 2)
begin;
update counts set n = n + 1 where id = :id;
select n from counts where id = :id;
end;
SQL
cat >"$work/pipe.sql" <<'SQL'
\startpipeline
select 1;
select n from counts where id = 1;
select 3;
\endpipeline
SQL
cat >"$work/broken-pipe.sql" <<'SQL'
\startpipeline
select 1;
select 1 / (n - n) from counts;
select 3;
\endpipeline
SQL
cat >"$work/broken.sql" <<'SQL'
select missing from counts;
SQL
"$bin/pgbench" -n -M extended --random-seed=1 -t 2 -f "$work/one.sql" >/dev/null
"$bin/pgbench" -n -M prepared --random-seed=1 -t 3 -f "$work/one.sql" >/dev/null
"$bin/pgbench" -n -M extended -t 1 -f "$work/pipe.sql" >/dev/null
"$bin/pgbench" -n -M prepared -t 2 -f "$work/pipe.sql" >/dev/null
"$bin/pgbench" -n -M extended -t 1 -f "$work/broken-pipe.sql" >/dev/null 2>&1
"$bin/pgbench" -n -M prepared -t 1 -f "$work/broken.sql" >/dev/null 2>&1
RUN

record copy <<'RUN'
psql -q <<'SQL'
create table lines (n int, t text);
copy lines from stdin;
1	one
2	two
3	\N
\.
copy lines to stdout;
copy lines from stdin;
x	one
\.
copy (select * from lines where n > 1) to stdout with csv header;
select count(*) from lines;
SQL
RUN

record connections <<'RUN'
PGSSLMODE=prefer PGGSSENCMODE=prefer psql -qc 'select 1' >/dev/null
PGPASSWORD=wrong psql -c 'select 1' 2>/dev/null
PGDATABASE=nowhere psql -c 'select 1' 2>/dev/null
psql -qc 'select pg_sleep(5)' >/dev/null 2>&1 &
sleep 0.5
kill -INT $!
wait
(echo 'listen jobs;'; sleep 1; echo 'select 1;'; sleep 1) | psql -q >/dev/null 2>&1 &
sleep 0.5
psql -qc "notify jobs, 'number 7'; select pg_notify('jobs', '')" >/dev/null
sleep 1
psql -qc "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'" >/dev/null
wait
RUN

record replication <<'RUN'
psql -qc 'create table log (n int)'
psql -qc "select pg_create_logical_replication_slot('tap', 'test_decoding')" >/dev/null
"$bin/pg_recvlogical" -d shop -S tap --start -f - -s 1 >/dev/null 2>&1 &
receiver=$!
sleep 1
psql -qc 'insert into log select generate_series(1, 3)'
sleep 1
kill -INT $receiver
wait
psql -qc "select pg_drop_replication_slot('tap')" >/dev/null
RUN

echo "ssl = on" >>"$work/data/postgresql.conf"
as "$bin/pg_ctl" -D "$work/data" reload >/dev/null
sleep 1
record encrypted <<'RUN'
PGSSLMODE=require psql -qc 'select 1' >/dev/null
RUN
