;; Takes plain segments of known connections out of a capture file that stands in a shadow, up to the first that carries payload or
;; is not plain. See plain-segments.ts for what it is given and what it leaves; `TcpTracker.take` for the same in general. Rows
;; are those of tcp-row.ts, by bytes: an end has 120, both share what stands from 240 on.
(module
  (import "memory" "memory" (memory 1))

  ;; A segment was acknowledged after $elapsed: `TcpConnection.sample`.
  (func $sample (param $both i32) (param $elapsed f64)
    (local $count i32) (local $whole f64)
    (if (f64.lt (local.get $elapsed) (f64.const 0)) (then (return)))
    (local.set $count (i32.add (i32.load offset=116 (local.get $both)) (i32.const 1)))
    (i32.store offset=116 (local.get $both) (local.get $count))
    (local.set $whole (f64.floor (f64.add (local.get $elapsed) (f64.const 0.5))))
    (f64.store offset=80 (local.get $both) (f64.add (f64.load offset=80 (local.get $both)) (local.get $elapsed)))
    (if (i32.eq (local.get $count) (i32.const 1))
      (then
        (f64.store offset=64 (local.get $both) (local.get $whole))
        (f64.store offset=72 (local.get $both) (local.get $whole)))
      (else
        (if (f64.lt (local.get $whole) (f64.load offset=64 (local.get $both)))
          (then (f64.store offset=64 (local.get $both) (local.get $whole))))
        (if (f64.gt (local.get $whole) (f64.load offset=72 (local.get $both)))
          (then (f64.store offset=72 (local.get $both) (local.get $whole))))
        (f64.store offset=96
          (local.get $both)
          (f64.add
            (f64.load offset=96 (local.get $both))
            (f64.div
              (f64.sub
                (f64.abs (f64.sub (local.get $elapsed) (f64.load offset=88 (local.get $both))))
                (f64.load offset=96 (local.get $both)))
              (f64.const 16))))))
    (f64.store offset=88 (local.get $both) (local.get $elapsed)))

  ;; 0: all up to $limit is taken, or the next record is not all there. 1: the next packet is not plain. 2: nor is its connection
  ;; known here. 3: the payload of a packet that was taken has to be handed on.
  (func (export "run") (param $s i32) (param $at i32) (param $limit i32) (param $due f64) (result i32)
    (local $format i32) (local $frame i32) (local $captured i32) (local $next i32) (local $time f64)
    (local $total i32) (local $body i32) (local $stop i32) (local $length i32)
    (local $words v128) (local $a i32) (local $b i32) (local $ports i32) (local $seq i32) (local $ack i32) (local $third i32)
    (local $swap i32) (local $low i32) (local $high i32) (local $hash i32) (local $entry i32)
    (local $both i32) (local $from i32) (local $to i32) (local $bits i32) (local $peer i32) (local $timed i32)
    (local $window i32) (local $scaled i32) (local $grown i32) (local $cell i32) (local $ahead i32)
    (local.set $format (i32.load offset=100 (local.get $s)))
    (loop $each
      (i32.store (local.get $s) (local.get $at))
      ;; The record: its time, and where its frame stands.
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
          ;; An enhanced packet block of an interface like all before it.
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
          (if (i32.ge_u (i32.load offset=8 align=1 (local.get $at)) (i32.load offset=104 (local.get $s)))
            (then (return (i32.const 1))))
          (local.set $captured (i32.load offset=20 align=1 (local.get $at)))
          (if (i32.gt_u (local.get $captured) (i32.sub (local.get $total) (i32.const 32)))
            (then (return (i32.const 1))))
          (if (i32.ne (local.get $captured) (i32.load offset=24 align=1 (local.get $at)))
            (then (return (i32.const 1))))
          ;; Options behind it, where somebody wants to know them.
          (if
            (i32.and
              (i32.load offset=92 (local.get $s))
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
      ;; Nothing is due before it.
      (if
        (i32.eqz
          (i32.and
            (f64.lt (local.get $time) (local.get $due))
            (f64.ge (local.get $time) (f64.sub (local.get $due) (f64.const 2000000)))))
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
        (i32.mul (i32.xor (local.get $low) (i32.load offset=48 (local.get $s))) (i32.const 0x9e3779b1)))
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
          (i32.load offset=40 (local.get $s))
          (i32.shl
            (i32.and
              (i32.xor (local.get $hash) (i32.shr_u (local.get $hash) (i32.const 16)))
              (i32.load offset=44 (local.get $s)))
            (i32.const 5))))
      (if
        (i32.or
          (i32.or
            (i32.ne (i32.load (local.get $entry)) (local.get $ports))
            (i32.ne (i32.load offset=4 (local.get $entry)) (local.get $low)))
          (i32.or
            (i32.ne (i32.load offset=8 (local.get $entry)) (local.get $high))
            (i32.eqz (i32.load offset=12 (local.get $entry)))))
        (then
          (i32.store offset=52 (local.get $s) (local.get $entry))
          (i32.store offset=56 (local.get $s) (local.get $ports))
          (i32.store offset=60 (local.get $s) (local.get $low))
          (i32.store offset=64 (local.get $s) (local.get $high))
          (return (i32.const 2))))
      ;; It was touched less than a second ago, and is not silent for so long that it is over.
      (local.set $both (i32.add (i32.load offset=12 (local.get $entry)) (i32.const 240)))
      (if
        (i32.eqz
          (i32.and
            (f64.le
              (f64.sub (local.get $time) (f64.load offset=16 (local.get $entry)))
              (f64.const 1000000))
            (f64.ge (local.get $time) (f64.load offset=16 (local.get $entry)))))
        (then (return (i32.const 1))))
      (if
        (f64.gt
          (f64.sub (local.get $time) (f64.load (local.get $both)))
          (if (result f64) (i32.and (i32.load offset=108 (local.get $both)) (i32.const 8))
            (then (f64.load offset=120 (local.get $s)))
            (else (f64.load offset=112 (local.get $s)))))
        (then (return (i32.const 1))))
      (if (local.get $swap)
        (then
          (local.set $from (i32.sub (local.get $both) (i32.const 120)))
          (local.set $to (i32.sub (local.get $both) (i32.const 240))))
        (else
          (local.set $from (i32.sub (local.get $both) (i32.const 240)))
          (local.set $to (i32.sub (local.get $both) (i32.const 120)))))
      ;; The next of a calm end; of the other nothing is held, and it has not ended.
      (local.set $bits (i32.load offset=112 (local.get $from)))
      (local.set $peer (i32.load offset=112 (local.get $to)))
      (if
        (i32.or
          (i32.or
            (i32.eqz (i32.and (local.get $bits) (i32.const 2)))
            (i32.and (local.get $peer) (i32.const 0x88)))
          (i32.ne (local.get $seq) (i32.load offset=64 (local.get $from))))
        (then (return (i32.const 1))))
      (if (local.get $length)
        (then
          (if
            (i32.gt_s (i32.sub (local.get $ack) (i32.load offset=64 (local.get $to))) (i32.const 0))
            (then (return (i32.const 1))))
          (local.set $timed (i32.load offset=100 (local.get $from)))
          ;; No cell is left to time it in.
          (if
            (i32.and
              (i32.lt_s (i32.load offset=84 (local.get $s)) (i32.const 0))
              (i32.ge_s (i32.load offset=88 (local.get $s)) (i32.load offset=80 (local.get $s))))
            (then (return (i32.const 1))))))

      ;; It is taken. What is counted of every packet.
      (i32.store offset=20 (local.get $s) (i32.add (i32.load offset=20 (local.get $s)) (i32.const 1)))
      (i32.store offset=24 (local.get $s) (i32.add (i32.load offset=24 (local.get $s)) (local.get $captured)))
      (f64.store offset=32 (local.get $s) (local.get $time))
      (i32.store offset=28 (local.get $s) (local.get $at))
      (f64.store (local.get $from) (f64.add (f64.load (local.get $from)) (f64.const 1)))
      (f64.store offset=8
        (local.get $from)
        (f64.add (f64.load offset=8 (local.get $from)) (f64.convert_i32_u (local.get $captured))))
      (if (f64.gt (local.get $time) (f64.load (local.get $both)))
        (then (f64.store (local.get $both) (local.get $time))))

      ;; What it acknowledges: `Acknowledgements.take`.
      (local.set $window (i32.and (local.get $third) (i32.const 0xffff)))
      (local.set $scaled (local.get $window))
      (if (i32.gt_s (i32.load offset=96 (local.get $from)) (i32.const 0))
        (then
          (local.set $scaled (i32.shl (local.get $window) (i32.load offset=96 (local.get $from))))))
      (local.set $grown (i32.sub (local.get $ack) (i32.load offset=80 (local.get $from))))
      (if
        (i32.or
          (i32.gt_s (local.get $grown) (i32.const 0))
          (i32.eqz (i32.and (local.get $bits) (i32.const 32))))
        (then
          (local.set $bits (i32.or (local.get $bits) (i32.const 32)))
          (i32.store offset=112 (local.get $from) (local.get $bits))
          (i32.store offset=80 (local.get $from) (local.get $ack))
          (f64.store offset=40 (local.get $from) (local.get $time))
          (i32.store offset=84 (local.get $from) (i32.const 0))
          ;; `RoundTrips.acknowledged`
          (block $over
            (loop $more
              (br_if $over (i32.le_s (i32.load offset=100 (local.get $to)) (i32.const 0)))
              (local.set $cell (i32.load offset=104 (local.get $to)))
              (local.set $ahead
                (i32.sub
                  (i32.load
                    (i32.add (i32.load offset=68 (local.get $s)) (i32.shl (local.get $cell) (i32.const 2))))
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
                          (i32.load offset=72 (local.get $s))
                          (i32.shl (local.get $cell) (i32.const 3))))))))
              (local.set $hash
                (i32.add (i32.load offset=76 (local.get $s)) (i32.shl (local.get $cell) (i32.const 2))))
              (i32.store offset=104 (local.get $to) (i32.load (local.get $hash)))
              (i32.store offset=100
                (local.get $to)
                (i32.sub (i32.load offset=100 (local.get $to)) (i32.const 1)))
              (i32.store (local.get $hash) (i32.load offset=84 (local.get $s)))
              (i32.store offset=84 (local.get $s) (local.get $cell))
              (br $more))))
        (else
          (if
            (i32.and
              (i32.and
                (i32.and (i32.eqz (local.get $grown)) (i32.eqz (local.get $length)))
                (i32.and
                  (i32.ne (local.get $scaled) (i32.const 0))
                  (i32.eq (local.get $scaled) (i32.load offset=88 (local.get $from)))))
              (i32.and
                (i32.eq (local.get $seq) (i32.load offset=68 (local.get $from)))
                (i32.eqz (i32.and (local.get $peer) (i32.const 64)))))
            (then
              (i32.store offset=128
                (local.get $both)
                (i32.add (i32.load offset=128 (local.get $both)) (i32.const 1)))
              (i32.store offset=84
                (local.get $from)
                (i32.add (i32.load offset=84 (local.get $from)) (i32.const 1)))
              (f64.store offset=40 (local.get $from) (local.get $time))))))
      (i32.store offset=88 (local.get $from) (local.get $scaled))
      (if (i32.eqz (local.get $window))
        (then
          (i32.store offset=140
            (local.get $both)
            (i32.add (i32.load offset=140 (local.get $both)) (i32.const 1)))))
      (if (i32.eqz (local.get $length))
        (then
          (i32.store offset=112
            (local.get $both)
            (i32.or (i32.load offset=112 (local.get $both)) (i32.const 4)))
          (local.set $at (local.get $next))
          (br $each))))

    ;; What it carries.
    (local.set $seq (i32.add (local.get $seq) (local.get $length)))
    ;; `checkWindow`
    (if
      (i32.and
        (i32.eq
          (i32.sub (local.get $seq) (i32.load offset=80 (local.get $to)))
          (i32.load offset=88 (local.get $to)))
        (i32.and
          (i32.ne (i32.load offset=96 (local.get $to)) (i32.const -1))
          (i32.ne (i32.and (local.get $peer) (i32.const 32)) (i32.const 0))))
      (then
        (i32.store offset=144
          (local.get $both)
          (i32.add (i32.load offset=144 (local.get $both)) (i32.const 1)))))
    (i32.store offset=64 (local.get $from) (local.get $seq))
    (i32.store offset=68 (local.get $from) (local.get $seq))
    (f64.store offset=32 (local.get $from) (local.get $time))
    (i32.store offset=112 (local.get $from) (i32.and (local.get $bits) (i32.const -321)))
    (i32.store offset=112 (local.get $both) (i32.or (i32.load offset=112 (local.get $both)) (i32.const 8)))
    ;; `RoundTrips.sent`
    (if (i32.lt_s (local.get $timed) (i32.const 64))
      (then
        (local.set $cell (i32.load offset=84 (local.get $s)))
        (if (i32.ge_s (local.get $cell) (i32.const 0))
          (then
            (i32.store offset=84
              (local.get $s)
              (i32.load
                (i32.add (i32.load offset=76 (local.get $s)) (i32.shl (local.get $cell) (i32.const 2))))))
          (else
            (local.set $cell (i32.load offset=88 (local.get $s)))
            (i32.store offset=88 (local.get $s) (i32.add (local.get $cell) (i32.const 1)))))
        (i32.store
          (i32.add (i32.load offset=68 (local.get $s)) (i32.shl (local.get $cell) (i32.const 2)))
          (local.get $seq))
        (f64.store
          (i32.add (i32.load offset=72 (local.get $s)) (i32.shl (local.get $cell) (i32.const 3)))
          (local.get $time))
        (i32.store
          (i32.add (i32.load offset=76 (local.get $s)) (i32.shl (local.get $cell) (i32.const 2)))
          (i32.const -1))
        (if (i32.eqz (local.get $timed))
          (then (i32.store offset=104 (local.get $from) (local.get $cell)))
          (else
            (i32.store
              (i32.add
                (i32.load offset=76 (local.get $s))
                (i32.shl (i32.load offset=108 (local.get $from)) (i32.const 2)))
              (local.get $cell))))
        (i32.store offset=108 (local.get $from) (local.get $cell))
        (i32.store offset=100 (local.get $from) (i32.add (local.get $timed) (i32.const 1)))))
    (i32.store (local.get $s) (local.get $next))
    (i32.store offset=4 (local.get $s) (i32.load offset=24 (local.get $entry)))
    (i32.store offset=8 (local.get $s) (local.get $swap))
    (i32.store offset=12 (local.get $s) (local.get $body))
    (i32.store offset=16 (local.get $s) (local.get $stop))
    (i32.const 3)))
