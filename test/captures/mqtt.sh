#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/mqtt/captures with a real broker and its own clients.
# Needs Debian's mosquitto, mosquitto-clients and tcpdump; run as root. The goldens are then written with
#   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/mqtt
protocol=mqtt
. "$(dirname "$0")/scene.sh"
port=18835
guarded=18836
broker=
filter="tcp port $port or tcp port $guarded"
end() { end_process "$broker"; }

chmod 755 "$work"
mosquitto_passwd -c -b "$work/passwords" alice secret
printf 'user alice\ntopic readwrite shop/#\n' >"$work/access"
chmod 644 "$work/passwords" "$work/access"
cat >"$work/conf" <<CONF
per_listener_settings true
listener $port 127.0.0.1
allow_anonymous true
max_topic_alias 10
listener $guarded 127.0.0.1
allow_anonymous false
password_file $work/passwords
acl_file $work/access
CONF
mosquitto -c "$work/conf" >"$work/log" 2>&1 &
broker=$!
sleep 1
head -c 6000 /dev/zero | tr '\0' x >"$work/big"
export port guarded
session() { # version: the same for each version of the protocol
  cat <<RUN
at="-h 127.0.0.1 -p $port -V $1"
mosquitto_sub \$at -i reader -q 2 -k 5 -t 'home/#' -t 'lamp/+/state' -U 'never/asked' -W 9 &
sleep 0.5
mosquitto_pub \$at -i writer -t home/kitchen -m '{"temperature": 21.5}'
mosquitto_pub \$at -i writer -t home/Küche -q 1 -m 'warm 🔥'
mosquitto_pub \$at -i writer -t lamp/1/state -q 2 -m on
mosquitto_pub \$at -i writer -t nobody/listens -q 1 -m lost
mosquitto_pub \$at -i writer -t home/kept -q 1 -r -m kept
mosquitto_pub \$at -i writer -t home/kept -q 0 -r -n
mosquitto_pub \$at -i writer -t home/big -q 2 -f $work/big
printf 'one\ntwo\nthree\nfour\nfive\nsix\nseven\n' | mosquitto_pub \$at -i lines -t home/lines -q 1 -l \
  --will-topic home/lines/gone --will-payload farewell --will-qos 1
wait
RUN
}
session mqttv311 | record session-3.1.1
session mqttv5 | record session-5

record properties <<'RUN'
at="-h 127.0.0.1 -p $port -V mqttv5"
mosquitto_sub $at -i reader -q 1 -t 'props/#' -C 9 -W 5 -D connect session-expiry-interval 60 -D connect receive-maximum 10 \
  -D connect user-property who reader -D subscribe subscription-identifier 7 -D connect topic-alias-maximum 5 &
sleep 0.5
mosquitto_pub $at -i writer -t props/all -q 1 -m '{"a": 1}' -D publish content-type application/json \
  -D publish response-topic props/answer -D publish correlation-data c-17 -D publish user-property trace abc \
  -D publish user-property trace def -D publish message-expiry-interval 30 -D publish payload-format-indicator 1
printf 'one\ntwo\nthree\n' | mosquitto_pub $at -i alias -t props/by/alias -q 0 -l -D publish topic-alias 3
printf 'one\ntwo\nthree\nfour\n' | mosquitto_pub $at -i alias -t props/by/other -q 1 -l -D publish topic-alias 4
wait
RUN

record refusals <<'RUN'
for version in mqttv311 mqttv5; do
  at="-h 127.0.0.1 -p $guarded -V $version"
  mosquitto_pub $at -u alice -P secret -i alice -t shop/open -q 1 -m yes
  mosquitto_pub $at -u alice -P wrong -i alice -t shop/open -q 1 -m yes
  mosquitto_pub $at -i nobody -t shop/open -m yes
  mosquitto_pub $at -u alice -P secret -i alice -t vault/closed -q 1 -m no
  mosquitto_sub $at -u alice -P secret -i alice -t 'vault/#' -t 'shop/#' -W 1
done
at="-h 127.0.0.1 -p $port -V mqttv5"
mosquitto_pub $at -i extended -t a/b -m x -D connect authentication-method SCRAM-SHA-256
mosquitto_sub $at -i twin -t twin/one -W 2 &
sleep 0.5
mosquitto_sub $at -i twin -t twin/two -W 1
exec 3<>/dev/tcp/127.0.0.1/$port
printf '\x10\x10\x00\x04MQTT\x09\x02\x00\x3c\x00\x04abcd' >&3
sleep 0.5
exec 3>&-
wait
RUN
