#!/bin/bash
# Makes the captures of packages/dissect/src/protocols/amqp/captures with a real RabbitMQ and real clients.
# Needs Debian's rabbitmq-server, python3-pika, python3-qpid-proton and tcpdump; run as root. The goldens are then
# written with   UPDATE_GOLDEN=1 npx vitest run packages/dissect/src/protocols/amqp
protocol=amqp
. "$(dirname "$0")/scene.sh"
port=15673
export PORT=$port
broker=
filter="tcp port $port"
runs=(/usr/bin/python3 -)
end() {
  end_process "$broker"
  epmd -port $ERL_EPMD_PORT -kill >/dev/null 2>&1 || true
}
export ERL_EPMD_PORT=14369 ERL_EPMD_ADDRESS=127.0.0.1

# The node's own ports and files are apart from those of an installed broker.
export RABBITMQ_NODENAME=captures@localhost RABBITMQ_NODE_IP_ADDRESS=127.0.0.1 RABBITMQ_NODE_PORT=$port
export RABBITMQ_DIST_PORT=15674 RABBITMQ_MNESIA_BASE=$work/data RABBITMQ_LOG_BASE=$work/log
export RABBITMQ_ENABLED_PLUGINS_FILE=$work/plugins RABBITMQ_CONFIG_FILE=$work/rabbitmq
export RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS='-kernel inet_dist_use_interface {127,0,0,1}' HOME=$work
mkdir -p "$work/data" "$work/log"
echo '[rabbitmq_amqp1_0].' >"$work/plugins"
echo 'log.console.level = error' >"$work/rabbitmq.conf"
bin=$(ls -d /usr/lib/rabbitmq/lib/rabbitmq_server-*/sbin | tail -1)
"$bin/rabbitmq-server" >"$work/broker.log" 2>&1 </dev/null &
broker=$!
for _ in $(seq 120); do
  if grep -q completed "$work/broker.log"; then break; fi
  sleep 1
done

record calls <<'PY'
import os, pika
at = pika.ConnectionParameters('127.0.0.1', int(os.environ['PORT']), '/', pika.PlainCredentials('guest', 'guest'))
link = pika.BlockingConnection(at)
channel = link.channel()
channel.exchange_declare('orders', 'topic', durable=True)
name = channel.queue_declare('', exclusive=True).method.queue
channel.queue_declare('jobs', durable=True, arguments={'x-max-length': 1000, 'x-message-ttl': 60000})
channel.queue_bind('jobs', 'orders', 'order.#', arguments={'note': 'Käse'})
channel.queue_bind(name, 'orders', 'order.new')
channel.confirm_delivery()
channel.basic_publish('orders', 'order.new', b'{"id": 7}', pika.BasicProperties(
    content_type='application/json', content_encoding='utf-8', headers={'retry': 1, 'tags': ['a', 'b'], 'on': True},
    delivery_mode=2, priority=3, correlation_id='c-1', reply_to='answers', expiration='60000', message_id='m-1',
    timestamp=1700000000, type='order', user_id='guest', app_id='shop'))
channel.basic_publish('', 'jobs', b'plain')
channel.basic_publish('', 'jobs', b'')
try:
    channel.basic_publish('orders', 'nobody.listens', b'lost', mandatory=True)
except pika.exceptions.UnroutableError:
    pass
channel.basic_qos(prefetch_count=2)
for _ in range(4):
    got, properties, body = channel.basic_get('jobs')
    if got:
        channel.basic_ack(got.delivery_tag)
channel.queue_purge('jobs')
channel.queue_unbind('jobs', 'orders', 'order.#')
channel.queue_delete('jobs')
channel.exchange_delete('orders')
channel.close()
link.close()
PY

record consumers <<'PY'
import os, pika
at = pika.ConnectionParameters('127.0.0.1', int(os.environ['PORT']), '/', pika.PlainCredentials('guest', 'guest'),
    client_properties={'connection_name': 'till'})
link = pika.BlockingConnection(at)
one, two = link.channel(), link.channel()
one.queue_declare('work')
seen = []
def take(channel, method, properties, body):
    seen.append(body)
    if len(seen) == 3: channel.basic_nack(method.delivery_tag, requeue=False)
    elif len(seen) == 4: channel.basic_reject(method.delivery_tag, requeue=False)
    else: channel.basic_ack(method.delivery_tag)
tag = two.basic_consume('work', take)
for n in range(6):
    one.basic_publish('', 'work', b'message %d' % n, pika.BasicProperties(content_type='text/plain'))
link.process_data_events(1)
two.basic_cancel(tag)
two.basic_consume('work', take, consumer_tag='second')
one.queue_delete('work')
link.process_data_events(1)
three = link.channel()
three.tx_select()
three.basic_publish('amq.topic', 'in.transaction', b'x')
three.tx_commit()
three.basic_publish('amq.topic', 'in.transaction', b'y')
three.tx_rollback()
three.basic_recover(requeue=True)
link.close()
PY

record errors <<'PY'
import os, pika
port = int(os.environ['PORT'])
good = pika.PlainCredentials('guest', 'guest')
link = pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1', port, '/', good))
def attempt(act):
    channel = link.channel()
    try: act(channel)
    except pika.exceptions.AMQPError as error: print(repr(error))
attempt(lambda channel: channel.queue_declare('nowhere', passive=True))
attempt(lambda channel: (channel.queue_declare('q', durable=False), channel.queue_declare('q', durable=True)))
attempt(lambda channel: (channel.basic_publish('missing', 'key', b'x'), channel.queue_declare('never-answered')))
attempt(lambda channel: channel.exchange_declare('amq.mine', 'direct'))
attempt(lambda channel: channel.basic_ack(4711) or link.process_data_events(0.5))
attempt(lambda channel: channel.queue_delete('q'))
try: pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1', port, '/', pika.PlainCredentials('guest', 'wrong')))
except Exception as error: print(repr(error))
try: pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1', port, '/nowhere', good))
except Exception as error: print(repr(error))
try: attempt(lambda channel: channel.exchange_declare('odd', 'no-such-type'))
except Exception as error: print(repr(error))
import socket
with socket.create_connection(('127.0.0.1', port)) as raw:
    raw.sendall(b'AMQP\x00\x02\x00\x00')
    print(raw.recv(100))
PY

record big <<'PY'
import os, pika
link = pika.BlockingConnection(pika.ConnectionParameters('127.0.0.1', int(os.environ['PORT']), '/',
    pika.PlainCredentials('guest', 'guest'), frame_max=4096))
channel = link.channel()
channel.queue_declare('big', exclusive=True)
channel.basic_publish('', 'big', bytes(range(256)) * 40, pika.BasicProperties(content_type='application/octet-stream'))
channel.basic_get('big', auto_ack=True)
channel.basic_get('big', auto_ack=True)
link.close()
PY

record one-zero <<'PY'
import os
from proton import Message
from proton.utils import BlockingConnection
from proton.reactor import AtMostOnce
url = '127.0.0.1:' + os.environ['PORT']
def connect(password='guest'):
    return BlockingConnection('amqp://guest:%s@%s' % (password, url), allowed_mechs='PLAIN', timeout=4)
def attempt(act):
    try: act()
    except Exception as error: print(repr(error))

link = connect()
sender = link.create_sender('/queue/letters')
for n in range(3):
    sender.send(Message(body='letter %d' % n, subject='greeting', id='id-%d' % n, content_type='text/plain',
        correlation_id='c-%d' % n, properties={'n': n, 'kind': 'letter'}))
sender.send(Message(body=b'\x00\x01' * 2000))
once = link.create_sender('/queue/letters', name='once', options=AtMostOnce())
once.send(Message(body='settled'))
attempt(sender.close)
attempt(link.close)

link = connect()
receiver = link.create_receiver('/queue/letters', name='reader', credit=10)
for n in range(5):
    receiver.receive(timeout=4)
    receiver.reject() if n == 1 else receiver.release() if n == 2 else receiver.accept()
attempt(link.close)

link = connect()
attempt(lambda: link.create_receiver('/exchange/missing/key', name='vain'))
attempt(link.close)
attempt(lambda: connect('wrong'))
PY
