#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/radius/captures with a real server and its own client.
# Needs Debian's freeradius, freeradius-utils and tcpdump; run as root. The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/radius
protocol=radius
. "$(dirname "$0")/scene.sh"
export auth=18120 acct=18130 coa=13799 nobody=18129
server=
filter="udp port $auth or udp port $acct or udp port $coa or udp port $nobody"
end() { end_process "$server"; }

cat >"$work/radiusd.conf" <<CONF
prefix = /usr
raddbdir = $work
logdir = $work
run_dir = $work
libdir = /usr/lib/freeradius
pidfile = $work/radiusd.pid
log { destination = stdout }
security {
  max_attributes = 200
  reject_delay = 0
  status_server = yes
}
client local {
  ipaddr = 127.0.0.1
  secret = testing123
}
modules {
  pap { }
  chap { }
  always ok {
    rcode = ok
  }
  always handled {
    rcode = handled
  }
  always reject {
    rcode = reject
  }
}
server main {
  listen {
    type = auth
    ipaddr = 127.0.0.1
    port = $auth
  }
  listen {
    type = acct
    ipaddr = 127.0.0.1
    port = $acct
  }
  listen {
    type = coa
    ipaddr = 127.0.0.1
    port = $coa
  }
  authorize {
    if (&User-Name == "carol") {
      update reply {
        &Reply-Message := "Which token?"
        &State := 0x1234abcd
      }
      update control {
        &Response-Packet-Type := Access-Challenge
      }
      handled
    }
    elsif (&User-Name != "mallory") {
      update control {
        &Cleartext-Password := "secret"
      }
      update reply {
        &Reply-Message := "Welcome"
        &Framed-IP-Address := 10.9.8.7
        &Session-Timeout := 3600
        &Class := 0x0102ff
        &Tunnel-Type:1 := VLAN
        &Tunnel-Private-Group-Id:1 := "42"
        &Cisco-AVPair += "shell:priv-lvl=15"
        &Framed-IPv6-Prefix := 2001:db8::/64
      }
      chap
      pap
    }
    else {
      update reply {
        &Reply-Message := "Go away"
      }
      reject
    }
  }
  authenticate {
    Auth-Type PAP {
      pap
    }
    Auth-Type CHAP {
      chap
    }
  }
  accounting {
    ok
  }
  recv-coa {
    if (&User-Name == "mallory") {
      update reply {
        &Error-Cause := Session-Context-Not-Found
      }
      reject
    }
    else {
      ok
    }
  }
}
CONF
freeradius -f -l "$work/server.log" -d "$work" -n radiusd &
server=$!
sleep 3
kill -0 "$server" || { cat "$work/server.log"; exit 1; }

record calls <<'RUN'
say() { radclient -t 2 -r 1 "$@" testing123; }
nas='NAS-IP-Address=10.0.0.1,NAS-Identifier=edge,NAS-Port=7,Calling-Station-Id=00-11-22-33-44-55,Called-Station-Id=AP:guest'
echo "User-Name=alice,User-Password=secret,$nas,Service-Type=Framed-User,Message-Authenticator=0x00" | say "127.0.0.1:$auth" auth
echo "User-Name=bob,CHAP-Password=secret,$nas" | say "127.0.0.1:$auth" auth
echo "User-Name=alice,User-Password=wrong,$nas" | say "127.0.0.1:$auth" auth
echo "User-Name=mallory,User-Password=any,$nas" | say "127.0.0.1:$auth" auth
echo "User-Name=carol,User-Password=any,$nas" | say "127.0.0.1:$auth" auth
echo "Message-Authenticator=0x00" | say "127.0.0.1:$auth" status
for kind in Start Interim-Update Stop; do
  echo "User-Name=alice,Acct-Status-Type=$kind,Acct-Session-Id=s-1,Acct-Session-Time=61,Acct-Input-Octets=4000000000,Framed-IP-Address=10.9.8.7,Event-Timestamp=1700000000,$nas" |
    say "127.0.0.1:$acct" acct
done
echo "User-Name=alice,Acct-Session-Id=s-1,Filter-Id=slow" | say "127.0.0.1:$coa" coa
echo "User-Name=mallory,Acct-Session-Id=s-9" | say "127.0.0.1:$coa" coa
echo "User-Name=alice,Acct-Session-Id=s-1" | say "127.0.0.1:$coa" disconnect
echo "User-Name=mallory,Acct-Session-Id=s-9" | say "127.0.0.1:$coa" disconnect
for i in 1 2 3 4 5 6 7 8; do printf 'User-Name=user%s,User-Password=secret\n\n' "$i"; done | say -p 8 "127.0.0.1:$auth" auth
RUN

# Nobody listens there: the request is sent anew and stays unanswered.
record silence <<'RUN'
echo "User-Name=alice,User-Password=secret" | radclient -t 1 -r 3 "127.0.0.1:$nobody" auth testing123
RUN
