/* One scene of Kafka traffic between librdkafka and its own test cluster; prints the cluster's port. */
#include <librdkafka/rdkafka.h>
#include <librdkafka/rdkafka_mock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char why[512];

static rd_kafka_t *client(rd_kafka_type_t type, const char *const *settings) {
  rd_kafka_conf_t *conf = rd_kafka_conf_new();
  for (; *settings; settings += 2)
    if (rd_kafka_conf_set(conf, settings[0], settings[1], why, sizeof why) != RD_KAFKA_CONF_OK) {
      fprintf(stderr, "%s\n", why);
      exit(1);
    }
  rd_kafka_t *made = rd_kafka_new(type, conf, why, sizeof why);
  if (!made) {
    fprintf(stderr, "%s\n", why);
    exit(1);
  }
  return made;
}

static void produce(const char *brokers, const char *acks, int count, const char *idempotent) {
  const char *settings[] = {"bootstrap.servers", brokers, "client.id", "shop", "acks", acks, "linger.ms", "5",
                            "message.timeout.ms", "4000", "enable.idempotence", idempotent, NULL};
  rd_kafka_t *producer = client(RD_KAFKA_PRODUCER, settings);
  for (int i = 0; i < count; i++) {
    char text[32];
    const char *topic = i % 3 ? "orders" : "payments";
    int length = snprintf(text, sizeof text, "order %d", i);
    rd_kafka_producev(producer, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_VALUE(text, length),
                      RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (i % 4 == 3) rd_kafka_flush(producer, 3000);
  }
  rd_kafka_flush(producer, 5000);
  rd_kafka_destroy(producer);
}

static void consume(const char *brokers, int polls) {
  const char *settings[] = {"bootstrap.servers", brokers, "client.id", "billing-1", "group.id", "billing",
                            "auto.offset.reset", "earliest", "fetch.wait.max.ms", "200", "enable.auto.commit", "false",
                            "heartbeat.interval.ms", "500", NULL};
  rd_kafka_t *consumer = client(RD_KAFKA_CONSUMER, settings);
  rd_kafka_poll_set_consumer(consumer);
  rd_kafka_topic_partition_list_t *topics = rd_kafka_topic_partition_list_new(2);
  rd_kafka_topic_partition_list_add(topics, "orders", RD_KAFKA_PARTITION_UA);
  rd_kafka_topic_partition_list_add(topics, "payments", RD_KAFKA_PARTITION_UA);
  rd_kafka_subscribe(consumer, topics);
  for (int i = 0; i < polls; i++) {
    rd_kafka_message_t *message = rd_kafka_consumer_poll(consumer, 200);
    if (message) rd_kafka_message_destroy(message);
  }
  rd_kafka_commit(consumer, NULL, 0);
  rd_kafka_consumer_close(consumer);
  rd_kafka_topic_partition_list_destroy(topics);
  rd_kafka_destroy(consumer);
}

int main(int count, char **words) {
  const char *scene = count > 1 ? words[1] : "calls";
  const char *none[] = {NULL};
  rd_kafka_t *host = client(RD_KAFKA_PRODUCER, none);
  rd_kafka_mock_cluster_t *cluster = rd_kafka_mock_cluster_new(host, 1);
  const char *brokers = rd_kafka_mock_cluster_bootstraps(cluster);
  printf("%s\n", strrchr(brokers, ':') + 1);
  rd_kafka_mock_topic_create(cluster, "orders", 2, 1);
  rd_kafka_mock_topic_create(cluster, "payments", 1, 1);
  if (!strcmp(scene, "calls")) {
    produce(brokers, "all", 12, "true");
    consume(brokers, 24);
  } else if (!strcmp(scene, "oneway")) {
    produce(brokers, "0", 8, "false");
  } else {
    rd_kafka_mock_push_request_errors(cluster, 0, 3, RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION,
                                      RD_KAFKA_RESP_ERR_NOT_ENOUGH_REPLICAS, RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE);
    rd_kafka_mock_push_request_errors(cluster, 10, 1, RD_KAFKA_RESP_ERR_COORDINATOR_NOT_AVAILABLE);
    produce(brokers, "1", 8, "false");
    consume(brokers, 12);
  }
  rd_kafka_mock_cluster_destroy(cluster);
  rd_kafka_destroy(host);
  return 0;
}
