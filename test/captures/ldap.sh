#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/ldap/captures with a real directory server and its own clients.
# Needs Debian's slapd, ldap-utils, openssl, python3 and tcpdump; run as root. The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/ldap
protocol=ldap
. "$(dirname "$0")/scene.sh"
export port=18389
export work
server=
filter="port $port"
end() { end_process "$server"; }

mkdir "$work/db"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj /CN=localhost \
  -keyout "$work/key.pem" -out "$work/cert.pem" 2>/dev/null
cat >"$work/slapd.conf" <<CONF
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile $work/slapd.pid
TLSCertificateFile $work/cert.pem
TLSCertificateKeyFile $work/key.pem
database mdb
suffix "dc=example,dc=org"
rootdn "cn=admin,dc=example,dc=org"
rootpw open-sesame
directory $work/db
access to attrs=userPassword by self write by anonymous auth by * none
access to * by self write by users read by anonymous read
CONF
cat >"$work/seed.ldif" <<'LDIF'
dn: dc=example,dc=org
objectClass: dcObject
objectClass: organization
dc: example
o: Example

dn: ou=people,dc=example,dc=org
objectClass: organizationalUnit
ou: people

dn: ou=elsewhere,dc=example,dc=org
objectClass: referral
objectClass: extensibleObject
ou: elsewhere
ref: ldap://elsewhere.example.org/ou=people,dc=example,dc=org
LDIF
for i in $(seq 1 30); do
  printf '\ndn: uid=user%s,ou=people,dc=example,dc=org\nobjectClass: inetOrgPerson\nuid: user%s\ncn: User %s\nsn: %s\nuserPassword: pass%s\n' \
    "$i" "$i" "$i" "$i" "$i"
done >>"$work/seed.ldif"
slapadd -f "$work/slapd.conf" -l "$work/seed.ldif"
slapd -d 0 -f "$work/slapd.conf" -h "ldap://127.0.0.1:$port" >/dev/null 2>&1 &
server=$!
until (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do sleep 0.1; done
cat >"$work/clear.conf" <<CONF
TLS_REQCERT never
SASL_NOCANON on
CONF
export LDAPCONF=$work/clear.conf

cat >"$work/ber.py" <<'PY'
import os, socket, time
def tlv(tag, *parts):
    data = b''.join(parts)
    size = len(data)
    return bytes([tag]) + (bytes([size]) if size < 128 else bytes([0x82]) + size.to_bytes(2, 'big')) + data
def number(value, tag=2): return tlv(tag, value.to_bytes(max(1, value.bit_length() // 8 + 1), 'big'))
def text(value, tag=4): return tlv(tag, value.encode())
def message(id, op, *controls): return tlv(0x30, number(id), op, *controls)
def bind(id, dn='', password='', version=3): return message(id, tlv(0x60, number(version), text(dn), text(password, 0x80)))
def search(id, base, scope, filter, *attributes):
    return message(id, tlv(0x63, text(base), number(scope, 10), number(0, 10), number(0), number(0),
                           tlv(1, b'\0'), filter, tlv(0x30, *map(text, attributes))))
def equal(name, value): return tlv(0xa3, text(name), text(value))
def present(name): return text(name, 0x87)
def abandon(id, which): return message(id, number(which, 0x50))
def unbind(id): return message(id, tlv(0x42))
def connect():
    s = socket.create_connection(('127.0.0.1', int(os.environ['port'])))
    s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return s
def say(s, data, pause=0.1):
    s.sendall(data)
    time.sleep(pause)
PY
export PYTHONPATH=$work PYTHONDONTWRITEBYTECODE=1

record calls <<'RUN'
admin="-x -H ldap://127.0.0.1:$port -D cn=admin,dc=example,dc=org -w open-sesame"
people=ou=people,dc=example,dc=org
ldapsearch -x -LLL -H "ldap://127.0.0.1:$port" -s base -b '' supportedExtension
ldapsearch $admin -LLL -b "$people" '(&(objectClass=inetOrgPerson)(|(uid=user1*)(cn~=User 2)(!(sn>=3))(sn:caseExactMatch:=7)))' cn sn
ldapadd $admin <<'LDIF'
dn: uid=new,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: new
cn: Søren
sn: New
userPassword: do-not-show
LDIF
ldapmodify $admin <<'LDIF'
dn: uid=new,ou=people,dc=example,dc=org
changetype: modify
replace: sn
sn: Newer
-
add: mail
mail: new@example.org
mail: newer@example.org
-
replace: userPassword
userPassword: do-not-show-either
LDIF
ldapcompare $admin "uid=new,$people" sn:Newer
ldapcompare $admin "uid=new,$people" sn:Older
ldapmodrdn $admin -r "uid=new,$people" uid=newest
ldappasswd $admin -s not-to-be-shown "uid=newest,$people"
ldapwhoami $admin
ldapdelete $admin "uid=newest,$people"
ldapsearch $admin -LLL -E pr=10/noprompt -b "$people" '(uid=user*)' uid
ldapsearch $admin -LLL -b dc=example,dc=org '(ou=*)' ou
RUN

record errors <<'RUN'
people=ou=people,dc=example,dc=org
ldapwhoami -x -H "ldap://127.0.0.1:$port" -D "uid=user1,$people" -w wrong
ldapwhoami -x -H "ldap://127.0.0.1:$port" -D "uid=user1,$people" -w pass1
ldapsearch -x -H "ldap://127.0.0.1:$port" -b ou=nowhere,dc=example,dc=org
ldapsearch -x -H "ldap://127.0.0.1:$port" -b "$people" -z 3
ldapsearch -x -H "ldap://127.0.0.1:$port" -b ou=elsewhere,dc=example,dc=org
ldapdelete -x -H "ldap://127.0.0.1:$port" -D "uid=user1,$people" -w pass1 "uid=user2,$people"
ldapadd -x -H "ldap://127.0.0.1:$port" -D cn=admin,dc=example,dc=org -w open-sesame <<'LDIF'
dn: uid=user1,ou=people,dc=example,dc=org
objectClass: inetOrgPerson
uid: user1
cn: again
sn: again
LDIF
ldapexop -x -H "ldap://127.0.0.1:$port" 1.2.3.4.5
python3 - <<'PY'
from ber import *
s = connect()
say(s, bind(1))
say(s, message(2, tlv(0x60, number(3), text(''), tlv(0xa3, text('NONSENSE'), text('do-not-show')))))
say(s, message(3, tlv(0x71, b'what')))
s.close()
PY
RUN

record pipelined <<'RUN'
python3 - <<'PY'
from ber import *
people = 'ou=people,dc=example,dc=org'
s = connect()
say(s, bind(1))
for i in range(40):
    say(s, search(2 + i, people, 2, equal('uid', f'user{i}'), 'cn'), 0.01 if i % 3 else 0)
say(s, b''.join(search(100 + i, people, 1, present('uid'), '1.1') for i in range(4)))
say(s, search(200, people, 1, present('uid'), 'cn') + abandon(201, 200) + search(202, 'dc=example,dc=org', 0, present('objectClass')))
say(s, unbind(203))
s.close()
PY
RUN

record starttls <<'RUN'
ldapwhoami -x -ZZ -H "ldap://127.0.0.1:$port" -D cn=admin,dc=example,dc=org -w open-sesame
RUN
