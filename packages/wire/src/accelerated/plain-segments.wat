;; The fast path for plain TCP segments of known connections: parses, counts and times them in the current chunk, up to
;; the first that carries payload or is not plain. plain-segments.ts passes the parameters and reads the results;
;; `TcpTracker.take` is the twin in TypeScript. Names in comments such as (;NEXT;) are constants of layout.ts, tcp-row.ts and
;; flow-counter-table.ts: layout.test.ts compares them with the numbers before them.
(module
  (import "memory" "memory" (memory 1))

  ;; A round-trip sample: `TcpConnection.sample`.
  (func $sample (param $both i32) (param $elapsed f64)
    (local $count i32) (local $whole f64)
    (if (f64.lt (local.get $elapsed) (f64.const 0)) (then (return)))
    (local.set $count (i32.add (i32.load offset=116 (;RTT_SAMPLES;) (local.get $both)) (i32.const 1)))
    (i32.store offset=116 (;RTT_SAMPLES;) (local.get $both) (local.get $count))
    (local.set $whole (f64.floor (f64.add (local.get $elapsed) (f64.const 0.5))))
    (f64.store offset=80 (;RTT_SUM;) (local.get $both) (f64.add (f64.load offset=80 (;RTT_SUM;) (local.get $both)) (local.get $elapsed)))
    (if (i32.eq (local.get $count) (i32.const 1))
      (then
        (f64.store offset=64 (;RTT_MIN;) (local.get $both) (local.get $whole))
        (f64.store offset=72 (;RTT_MAX;) (local.get $both) (local.get $whole)))
      (else
        (if (f64.lt (local.get $whole) (f64.load offset=64 (;RTT_MIN;) (local.get $both)))
          (then (f64.store offset=64 (;RTT_MIN;) (local.get $both) (local.get $whole))))
        (if (f64.gt (local.get $whole) (f64.load offset=72 (;RTT_MAX;) (local.get $both)))
          (then (f64.store offset=72 (;RTT_MAX;) (local.get $both) (local.get $whole))))
        (f64.store offset=96 (;JITTER;)
          (local.get $both)
          (f64.add
            (f64.load offset=96 (;JITTER;) (local.get $both))
            (f64.div
              (f64.sub
                (f64.abs (f64.sub (local.get $elapsed) (f64.load offset=88 (;LAST_RTT;) (local.get $both))))
                (f64.load offset=96 (;JITTER;) (local.get $both)))
              (f64.const 16))))))
    (f64.store offset=88 (;LAST_RTT;) (local.get $both) (local.get $elapsed)))

  ;; Returns 0: all up to $limit is taken, or the next record is incomplete. 1: the next packet is not plain. 2: its
  ;; connection is unknown. 3: there is payload to deliver.
  (func (export "run") (param $s i32) (param $at i32) (param $limit i32) (param $due f64) (result i32)
    (local $format i32) (local $frame i32) (local $captured i32) (local $next i32) (local $time f64)
    (local $total i32) (local $body i32) (local $stop i32) (local $length i32)
    (local $words v128) (local $a i32) (local $b i32) (local $ports i32) (local $seq i32) (local $ack i32) (local $third i32)
    (local $swap i32) (local $low i32) (local $high i32) (local $hash i32) (local $entry i32)
    (local $both i32) (local $from i32) (local $to i32) (local $bits i32) (local $peer i32) (local $timed i32)
    (local $window i32) (local $scaled i32) (local $grown i32) (local $cell i32) (local $ahead i32)
    (local.set $format (i32.load offset=100 (;FORMAT;) (local.get $s)))
    (loop $each
      (i32.store (;AT;) (local.get $s) (local.get $at))
      ;; The record: its time, and where its frame begins.
      (if (i32.lt_u (local.get $format) (i32.const 2))
        (then
          (if (i32.lt_s (i32.sub (local.get $limit) (local.get $at)) (i32.const 70)) (then (return (i32.const 0))))
          (local.set $captured (i32.load offset=8 align=1 (local.get $at)))
          (local.set $frame (i32.add (local.get $at) (i32.const 16)))
          (if (i32.gt_u (local.get $captured) (i32.sub (local.get $limit) (local.get $frame)))
            (then (return (i32.gt_u (local.get $captured) (i32.const 0x20000)))))
          (if (i32.ne (local.get $captured) (i32.load offset=12 align=1 (local.get $at)))
            (then (return (i32.const 1))))
          (local.set $next (i32.add (local.get $frame) (local.get $captured)))
          (local.set $time (f64.convert_i32_u (i32.load offset=4 align=1 (local.get $at))))
          (if (local.get $format)
            (then
              (local.set $time
                (f64.div (f64.floor (f64.div (local.get $time) (f64.const 500))) (f64.const 2)))))
          (local.set $time
            (f64.add
              (f64.mul (f64.convert_i32_u (i32.load align=1 (local.get $at))) (f64.const 1000000))
              (local.get $time))))
        (else
          (if (i32.lt_s (i32.sub (local.get $limit) (local.get $at)) (i32.const 86)) (then (return (i32.const 0))))
          ;; An enhanced packet block of an interface of the same format.
          (if (i32.ne (i32.load align=1 (local.get $at)) (i32.const 6)) (then (return (i32.const 1))))
          (local.set $total (i32.load offset=4 align=1 (local.get $at)))
          (if
            (i32.or
              (i32.and (local.get $total) (i32.const 3))
              (i32.gt_u (i32.sub (local.get $total) (i32.const 86)) (i32.const 0x20000)))
            (then (return (i32.const 1))))
          (if (i32.gt_u (local.get $total) (i32.sub (local.get $limit) (local.get $at)))
            (then (return (i32.const 0))))
          (local.set $next (i32.add (local.get $at) (local.get $total)))
          (if (i32.ne (i32.load align=1 (i32.sub (local.get $next) (i32.const 4))) (local.get $total))
            (then (return (i32.const 1))))
          (if (i32.ge_u (i32.load offset=8 align=1 (local.get $at)) (i32.load offset=104 (;INTERFACES;) (local.get $s)))
            (then (return (i32.const 1))))
          (local.set $captured (i32.load offset=20 align=1 (local.get $at)))
          (if (i32.gt_u (local.get $captured) (i32.sub (local.get $total) (i32.const 32)))
            (then (return (i32.const 1))))
          (if (i32.ne (local.get $captured) (i32.load offset=24 align=1 (local.get $at)))
            (then (return (i32.const 1))))
          ;; It has options, and they are read.
          (if
            (i32.and
              (i32.load offset=92 (;HAS_NOTES;) (local.get $s))
              (i32.ne
                (i32.and (i32.add (local.get $captured) (i32.const 3)) (i32.const -4))
                (i32.sub (local.get $total) (i32.const 32))))
            (then (return (i32.const 1))))
          (local.set $frame (i32.add (local.get $at) (i32.const 28)))
          (if (i32.eq (local.get $format) (i32.const 2))
            (then
              (local.set $time
                (f64.add
                  (f64.mul
                    (f64.convert_i32_u (i32.load offset=12 align=1 (local.get $at)))
                    (f64.const 4294967296))
                  (f64.convert_i32_u (i32.load offset=16 align=1 (local.get $at))))))
            (else
              (local.set $time (f64.convert_i32_u (i32.load offset=12 align=1 (local.get $at))))
              (local.set $time
                (f64.add
                  (f64.mul (local.get $time) (f64.const 4294967))
                  (f64.div
                    (f64.floor
                      (f64.div
                        (f64.add
                          (f64.mul (local.get $time) (f64.const 296))
                          (f64.convert_i32_u (i32.load offset=16 align=1 (local.get $at))))
                        (f64.const 500)))
                    (f64.const 2))))))))
      (if (i32.lt_u (local.get $captured) (i32.const 54)) (then (return (i32.const 1))))
      ;; A sweep is due: `SweepClock.due`.
      (if
        (i32.eqz
          (i32.and
            (f64.lt (local.get $time) (local.get $due))
            (f64.ge (local.get $time) (f64.sub (local.get $due) (f64.const 2000000 (;2 * SWEEP_US;))))))
        (then (return (i32.const 1))))
      ;; Ethernet, then IPv4 without options, whole, and TCP.
      (if
        (i32.ne
          (i32.and (i32.load offset=12 align=1 (local.get $frame)) (i32.const 0xffffff))
          (i32.const 0x450008))
        (then (return (i32.const 1))))
      (local.set $total (i32.load16_u offset=16 align=1 (local.get $frame)))
      (local.set $total
        (i32.or
          (i32.shl (i32.and (local.get $total) (i32.const 0xff)) (i32.const 8))
          (i32.shr_u (local.get $total) (i32.const 8))))
      (if
        (i32.or
          (i32.lt_u (local.get $total) (i32.const 40))
          (i32.gt_u (local.get $total) (i32.sub (local.get $captured) (i32.const 14))))
        (then (return (i32.const 1))))
      (if (i32.and (i32.load16_u offset=20 align=1 (local.get $frame)) (i32.const 0xff3f))
        (then (return (i32.const 1))))
      (if (i32.ne (i32.load8_u offset=23 (local.get $frame)) (i32.const 6)) (then (return (i32.const 1))))
      (local.set $words (v128.load offset=26 align=1 (local.get $frame)))
      (local.set $words
        (i8x16.shuffle 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12 (local.get $words) (local.get $words)))
      (local.set $a (i32x4.extract_lane 0 (local.get $words)))
      (local.set $b (i32x4.extract_lane 1 (local.get $words)))
      (local.set $ports (i32x4.extract_lane 2 (local.get $words)))
      (local.set $seq (i32x4.extract_lane 3 (local.get $words)))
      (local.set $words (v128.load64_zero offset=42 align=1 (local.get $frame)))
      (local.set $words
        (i8x16.shuffle 3 2 1 0 7 6 5 4 11 10 9 8 15 14 13 12 (local.get $words) (local.get $words)))
      (local.set $ack (i32x4.extract_lane 0 (local.get $words)))
      (local.set $third (i32x4.extract_lane 1 (local.get $words)))
      (local.set $length (i32.shl (i32.shr_u (local.get $third) (i32.const 28)) (i32.const 2)))
      (local.set $stop (i32.add (i32.add (local.get $frame) (i32.const 14)) (local.get $total)))
      (local.set $body (i32.add (i32.add (local.get $frame) (i32.const 34)) (local.get $length)))
      (if
        (i32.or (i32.lt_u (local.get $length) (i32.const 20)) (i32.gt_u (local.get $body) (local.get $stop)))
        (then (return (i32.const 1))))
      (local.set $length (i32.sub (local.get $stop) (local.get $body)))
      ;; The key of its connection, the low end first.
      (local.set $swap
        (i32.or
          (i32.gt_s (local.get $a) (local.get $b))
          (i32.and
            (i32.eq (local.get $a) (local.get $b))
            (i32.gt_u
              (i32.shr_u (local.get $ports) (i32.const 16))
              (i32.and (local.get $ports) (i32.const 0xffff))))))
      ;; An acknowledgement, and neither SYN, FIN nor RST.
      (if (i32.ne (i32.and (local.get $third) (i32.const 0x170000)) (i32.const 0x100000))
        (then (return (i32.const 1))))
      (if (local.get $swap)
        (then
          (local.set $low (local.get $b))
          (local.set $high (local.get $a))
          (local.set $ports (i32.rotl (local.get $ports) (i32.const 16))))
        (else
          (local.set $low (local.get $a))
          (local.set $high (local.get $b))))
      (local.set $hash
        (i32.mul (i32.xor (local.get $low) (i32.load offset=48 (;SEED;) (local.get $s))) (i32.const 0x9e3779b1)))
      (local.set $hash
        (i32.mul
          (i32.xor
            (i32.xor (local.get $hash) (i32.shr_u (local.get $hash) (i32.const 15)))
            (local.get $high))
          (i32.const 0x85ebca6b)))
      (local.set $hash
        (i32.mul
          (i32.xor
            (i32.xor (local.get $hash) (i32.shr_u (local.get $hash) (i32.const 13)))
            (local.get $ports))
          (i32.const 0xc2b2ae35)))
      (local.set $entry
        (i32.add
          (i32.load offset=40 (;ENTRIES;) (local.get $s))
          (i32.shl
            (i32.and
              (i32.xor (local.get $hash) (i32.shr_u (local.get $hash) (i32.const 16)))
              (i32.load offset=44 (;ENTRY_MASK;) (local.get $s)))
            (i32.const 5))))
      (if
        (i32.or
          (i32.or
            (i32.ne (i32.load (;PORTS;) (local.get $entry)) (local.get $ports))
            (i32.ne (i32.load offset=4 (;LOW;) (local.get $entry)) (local.get $low)))
          (i32.or
            (i32.ne (i32.load offset=8 (;HIGH;) (local.get $entry)) (local.get $high))
            (i32.eqz (i32.load offset=12 (;ROW_OFFSET;) (local.get $entry)))))
        (then
          (i32.store offset=52 (;ENTRY;) (local.get $s) (local.get $entry))
          (i32.store offset=56 (;KEY;) (local.get $s) (local.get $ports))
          (i32.store offset=60 (;KEY+1;) (local.get $s) (local.get $low))
          (i32.store offset=64 (;KEY+2;) (local.get $s) (local.get $high))
          (return (i32.const 2))))
      ;; Touched less than a second ago, and not idle for so long that it is over.
      (local.set $both (i32.add (i32.load offset=12 (;ROW_OFFSET;) (local.get $entry)) (i32.const 240 (;BOTH_BYTES;))))
      (if
        (i32.eqz
          (i32.and
            (f64.le
              (f64.sub (local.get $time) (f64.load offset=16 (;TOUCHED;) (local.get $entry)))
              (f64.const 1000000 (;TOUCH_US;)))
            (f64.ge (local.get $time) (f64.load offset=16 (;TOUCHED;) (local.get $entry)))))
        (then (return (i32.const 1))))
      (if
        (f64.gt
          (f64.sub (local.get $time) (f64.load (;LAST;) (local.get $both)))
          (if (result f64) (i32.and (i32.load offset=108 (;STATE;) (local.get $both)) (i32.const 8 (;ENDING_SOON;)))
            (then (f64.load offset=120 (;GRACE;) (local.get $s)))
            (else (f64.load offset=112 (;TCP_IDLE;) (local.get $s)))))
        (then (return (i32.const 1))))
      (if (local.get $swap)
        (then
          (local.set $from (i32.sub (local.get $both) (i32.const 120 (;END_BYTES;))))
          (local.set $to (i32.sub (local.get $both) (i32.const 240 (;BOTH_BYTES;)))))
        (else
          (local.set $from (i32.sub (local.get $both) (i32.const 240 (;BOTH_BYTES;))))
          (local.set $to (i32.sub (local.get $both) (i32.const 120 (;END_BYTES;))))))
      ;; The next segment of an end on the fast path; the other end holds nothing and has not sent FIN.
      (local.set $bits (i32.load offset=112 (;END;) (local.get $from)))
      (local.set $peer (i32.load offset=112 (;END;) (local.get $to)))
      (if
        (i32.or
          (i32.or
            (i32.eqz (i32.and (local.get $bits) (i32.const 2 (;FAST_PATH;))))
            (i32.and (local.get $peer) (i32.const 0x88 (;HOLDS | FIN_SEEN;))))
          (i32.ne (local.get $seq) (i32.load offset=64 (;NEXT;) (local.get $from))))
        (then (return (i32.const 1))))
      (if (local.get $length)
        (then
          (if
            (i32.gt_s (i32.sub (local.get $ack) (i32.load offset=64 (;NEXT;) (local.get $to))) (i32.const 0))
            (then (return (i32.const 1))))
          (local.set $timed (i32.load offset=100 (;TIMED;) (local.get $from)))
          ;; No cell is free to time it in.
          (if
            (i32.and
              (i32.lt_s (i32.load offset=84 (;FREE_CELL;) (local.get $s)) (i32.const 0))
              (i32.ge_s (i32.load offset=88 (;USED_CELLS;) (local.get $s)) (i32.load offset=80 (;CELL_COUNT;) (local.get $s))))
            (then (return (i32.const 1))))))

      ;; Take it. First the counters of every packet.
      (i32.store offset=20 (;PACKETS;) (local.get $s) (i32.add (i32.load offset=20 (;PACKETS;) (local.get $s)) (i32.const 1)))
      (i32.store offset=24 (;BYTES;) (local.get $s) (i32.add (i32.load offset=24 (;BYTES;) (local.get $s)) (local.get $captured)))
      (f64.store offset=32 (;TIME;) (local.get $s) (local.get $time))
      (i32.store offset=28 (;LAST;) (local.get $s) (local.get $at))
      (f64.store (;PACKETS;) (local.get $from) (f64.add (f64.load (;PACKETS;) (local.get $from)) (f64.const 1)))
      (f64.store offset=8 (;BYTES;)
        (local.get $from)
        (f64.add (f64.load offset=8 (;BYTES;) (local.get $from)) (f64.convert_i32_u (local.get $captured))))
      (if (f64.gt (local.get $time) (f64.load (;LAST;) (local.get $both)))
        (then (f64.store (;LAST;) (local.get $both) (local.get $time))))

      ;; Acknowledgement: `Acknowledgements.take`.
      (local.set $window (i32.and (local.get $third) (i32.const 0xffff)))
      (local.set $scaled (local.get $window))
      (if (i32.gt_s (i32.load offset=96 (;SHIFT;) (local.get $from)) (i32.const 0))
        (then
          (local.set $scaled (i32.shl (local.get $window) (i32.load offset=96 (;SHIFT;) (local.get $from))))))
      (local.set $grown (i32.sub (local.get $ack) (i32.load offset=80 (;ACKED_TO;) (local.get $from))))
      (if
        (i32.or
          (i32.gt_s (local.get $grown) (i32.const 0))
          (i32.eqz (i32.and (local.get $bits) (i32.const 32 (;ACKED;)))))
        (then
          (local.set $bits (i32.or (local.get $bits) (i32.const 32 (;ACKED;))))
          (i32.store offset=112 (;END;) (local.get $from) (local.get $bits))
          (i32.store offset=80 (;ACKED_TO;) (local.get $from) (local.get $ack))
          (f64.store offset=40 (;ACK_TIME;) (local.get $from) (local.get $time))
          (i32.store offset=84 (;DUPLICATES;) (local.get $from) (i32.const 0))
          ;; `RoundTrips.acknowledged`
          (block $over
            (loop $more
              (br_if $over (i32.le_s (i32.load offset=100 (;TIMED;) (local.get $to)) (i32.const 0)))
              (local.set $cell (i32.load offset=104 (;FIRST_TIMED;) (local.get $to)))
              (local.set $ahead
                (i32.sub
                  (i32.load
                    (i32.add (i32.load offset=68 (;ENDS;) (local.get $s)) (i32.shl (local.get $cell) (i32.const 2))))
                  (local.get $ack)))
              (br_if $over (i32.gt_s (local.get $ahead) (i32.const 0)))
              (if (i32.eqz (local.get $ahead))
                (then
                  (call $sample
                    (local.get $both)
                    (f64.sub
                      (local.get $time)
                      (f64.load
                        (i32.add
                          (i32.load offset=72 (;TIMES;) (local.get $s))
                          (i32.shl (local.get $cell) (i32.const 3))))))))
              (local.set $hash
                (i32.add (i32.load offset=76 (;NEXTS;) (local.get $s)) (i32.shl (local.get $cell) (i32.const 2))))
              (i32.store offset=104 (;FIRST_TIMED;) (local.get $to) (i32.load (local.get $hash)))
              (i32.store offset=100 (;TIMED;)
                (local.get $to)
                (i32.sub (i32.load offset=100 (;TIMED;) (local.get $to)) (i32.const 1)))
              (i32.store (local.get $hash) (i32.load offset=84 (;FREE_CELL;) (local.get $s)))
              (i32.store offset=84 (;FREE_CELL;) (local.get $s) (local.get $cell))
              (br $more))))
        (else
          (if
            (i32.and
              (i32.and
                (i32.and (i32.eqz (local.get $grown)) (i32.eqz (local.get $length)))
                (i32.and
                  (i32.ne (local.get $scaled) (i32.const 0))
                  (i32.eq (local.get $scaled) (i32.load offset=88 (;WINDOW;) (local.get $from)))))
              (i32.and
                (i32.eq (local.get $seq) (i32.load offset=68 (;MAX;) (local.get $from)))
                (i32.eqz (i32.and (local.get $peer) (i32.const 64 (;KEPT_ALIVE;))))))
            (then
              (i32.store offset=128 (;DUPLICATE_ACKS;)
                (local.get $both)
                (i32.add (i32.load offset=128 (;DUPLICATE_ACKS;) (local.get $both)) (i32.const 1)))
              (i32.store offset=84 (;DUPLICATES;)
                (local.get $from)
                (i32.add (i32.load offset=84 (;DUPLICATES;) (local.get $from)) (i32.const 1)))
              (f64.store offset=40 (;ACK_TIME;) (local.get $from) (local.get $time))))))
      (i32.store offset=88 (;WINDOW;) (local.get $from) (local.get $scaled))
      (if (i32.eqz (local.get $window))
        (then
          (i32.store offset=140 (;ZERO_WINDOW;)
            (local.get $both)
            (i32.add (i32.load offset=140 (;ZERO_WINDOW;) (local.get $both)) (i32.const 1)))))
      (if (i32.eqz (local.get $length))
        (then
          (i32.store offset=112 (;COMPLETENESS;)
            (local.get $both)
            (i32.or (i32.load offset=112 (;COMPLETENESS;) (local.get $both)) (i32.const 4 (;SEEN_ACK;))))
          (local.set $at (local.get $next))
          (br $each))))

    ;; Payload.
    (local.set $seq (i32.add (local.get $seq) (local.get $length)))
    ;; `checkWindow`
    (if
      (i32.and
        (i32.eq
          (i32.sub (local.get $seq) (i32.load offset=80 (;ACKED_TO;) (local.get $to)))
          (i32.load offset=88 (;WINDOW;) (local.get $to)))
        (i32.and
          (i32.ne (i32.load offset=96 (;SHIFT;) (local.get $to)) (i32.const -1 (;NO_SCALE;)))
          (i32.ne (i32.and (local.get $peer) (i32.const 32 (;ACKED;))) (i32.const 0))))
      (then
        (i32.store offset=144 (;WINDOW_FULL;)
          (local.get $both)
          (i32.add (i32.load offset=144 (;WINDOW_FULL;) (local.get $both)) (i32.const 1)))))
    (i32.store offset=64 (;NEXT;) (local.get $from) (local.get $seq))
    (i32.store offset=68 (;MAX;) (local.get $from) (local.get $seq))
    (f64.store offset=32 (;MAX_TIME;) (local.get $from) (local.get $time))
    (i32.store offset=112 (;END;) (local.get $from) (i32.and (local.get $bits) (i32.const -321 (;~(KEPT_ALIVE | ACKED_UNSEEN);))))
    (i32.store offset=112 (;COMPLETENESS;) (local.get $both) (i32.or (i32.load offset=112 (;COMPLETENESS;) (local.get $both)) (i32.const 8 (;SEEN_DATA;))))
    ;; `RoundTrips.sent`
    (if (i32.lt_s (local.get $timed) (i32.const 64 (;MAX_TIMED;)))
      (then
        (local.set $cell (i32.load offset=84 (;FREE_CELL;) (local.get $s)))
        (if (i32.ge_s (local.get $cell) (i32.const 0))
          (then
            (i32.store offset=84 (;FREE_CELL;)
              (local.get $s)
              (i32.load
                (i32.add (i32.load offset=76 (;NEXTS;) (local.get $s)) (i32.shl (local.get $cell) (i32.const 2))))))
          (else
            (local.set $cell (i32.load offset=88 (;USED_CELLS;) (local.get $s)))
            (i32.store offset=88 (;USED_CELLS;) (local.get $s) (i32.add (local.get $cell) (i32.const 1)))))
        (i32.store
          (i32.add (i32.load offset=68 (;ENDS;) (local.get $s)) (i32.shl (local.get $cell) (i32.const 2)))
          (local.get $seq))
        (f64.store
          (i32.add (i32.load offset=72 (;TIMES;) (local.get $s)) (i32.shl (local.get $cell) (i32.const 3)))
          (local.get $time))
        (i32.store
          (i32.add (i32.load offset=76 (;NEXTS;) (local.get $s)) (i32.shl (local.get $cell) (i32.const 2)))
          (i32.const -1))
        (if (i32.eqz (local.get $timed))
          (then (i32.store offset=104 (;FIRST_TIMED;) (local.get $from) (local.get $cell)))
          (else
            (i32.store
              (i32.add
                (i32.load offset=76 (;NEXTS;) (local.get $s))
                (i32.shl (i32.load offset=108 (;LAST_TIMED;) (local.get $from)) (i32.const 2)))
              (local.get $cell))))
        (i32.store offset=108 (;LAST_TIMED;) (local.get $from) (local.get $cell))
        (i32.store offset=100 (;TIMED;) (local.get $from) (i32.add (local.get $timed) (i32.const 1)))))
    (i32.store (;AT;) (local.get $s) (local.get $next))
    (i32.store offset=4 (;ROW;) (local.get $s) (i32.load offset=24 (;ROW;) (local.get $entry)))
    (i32.store offset=8 (;FROM_HIGH;) (local.get $s) (local.get $swap))
    (i32.store offset=12 (;BODY;) (local.get $s) (local.get $body))
    (i32.store offset=16 (;STOP;) (local.get $s) (local.get $stop))
    (i32.const 3)))
