;; Reads heads in the chunk memory, 16 bytes at a time. See quick-heads.ts for its input, layout.ts for its output. Notes are
;; words from 0 on, places in them from the start of the head; they end at $room, where the chunk begins.
(module
  (import "memory" "memory" (memory 1))

  ;; Skips spaces and tabs.
  (func $blank (param $at i32) (param $end i32) (result i32)
    (local $byte i32)
    (block $over
      (loop $more
        (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $byte (i32.load8_u (local.get $at)))
        (br_if $over
          (i32.and (i32.ne (local.get $byte) (i32.const 0x20)) (i32.ne (local.get $byte) (i32.const 0x09))))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $more)))
    (local.get $at))

  ;; A length of at most nine digits, and nothing else; otherwise -1.
  (func $length (param $at i32) (param $end i32) (result i32)
    (local $value i32) (local $digit i32) (local $last i32)
    (local.set $at (call $blank (local.get $at) (local.get $end)))
    (local.set $last (i32.add (local.get $at) (i32.const 9)))
    (if (i32.gt_u (local.get $last) (local.get $end)) (then (local.set $last (local.get $end))))
    (local.set $digit (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30)))
    (if (i32.gt_u (local.get $digit) (i32.const 9)) (then (return (i32.const -1))))
    (block $over
      (loop $more
        (br_if $over (i32.ge_u (local.get $at) (local.get $last)))
        (local.set $digit (i32.sub (i32.load8_u (local.get $at)) (i32.const 0x30)))
        (br_if $over (i32.gt_u (local.get $digit) (i32.const 9)))
        (local.set $value (i32.add (i32.mul (local.get $value) (i32.const 10)) (local.get $digit)))
        (local.set $at (i32.add (local.get $at) (i32.const 1)))
        (br $more)))
    (if (result i32) (i32.eq (i32.load16_u align=1 (local.get $at)) (i32.const 0x0a0d))
      (then (local.get $value))
      (else (i32.const -1))))

  ;; A line at $line that begins as one of those that say how a message goes on.
  (func $note (param $start i32) (param $line i32) (param $end i32) (param $room i32)
    (local $name i64) (local $at i32) (local $value i32) (local $count i32)
    ;; All are noted for later readers.
    (local.set $count (i32.load (;LINES;) (i32.const 0)))
    (local.set $at (i32.add (i32.const 64 (;FIRST_LINE;)) (i32.shl (local.get $count) (i32.const 2))))
    (if (i32.ge_u (local.get $at) (local.get $room))
      (then
        (i32.store offset=36 (;OVERFLOW;) (i32.const 0) (i32.const 1))
        (return)))
    (i32.store (local.get $at) (i32.sub (local.get $line) (local.get $start)))
    (i32.store (;LINES;) (i32.const 0) (i32.add (local.get $count) (i32.const 1)))
    (local.set $name (i64.or (i64.load align=1 (local.get $line)) (i64.const 0x2020202020202020)))
    ;; "content-"
    (if (i64.eq (local.get $name) (i64.const 0x2d746e65746e6f63))
      (then
        ;; "-length" and a colon
        (if
          (i32.and
            (i64.eq
              (i64.or (i64.load offset=6 align=1 (local.get $line)) (i64.const 0x2020202020202020))
              (i64.const 0x6874676e656c2d74))
            (i32.eq (i32.load8_u offset=14 (local.get $line)) (i32.const 0x3a)))
          (then
            (local.set $value (call $length (i32.add (local.get $line) (i32.const 15)) (local.get $end)))
            (if
              (i32.or
                (i32.lt_s (local.get $value) (i32.const 0))
                (i32.ge_s (i32.load offset=20 (;LENGTH;) (i32.const 0)) (i32.const 0)))
              (then (i32.store offset=32 (;UNUSUAL;) (i32.const 0) (i32.const 1))))
            (i32.store offset=20 (;LENGTH;) (i32.const 0) (local.get $value))
            (return)))
        ;; "type" and a colon
        (if
          (i32.and
            (i32.eq
              (i32.or (i32.load offset=8 align=1 (local.get $line)) (i32.const 0x20202020))
              (i32.const 0x65707974))
            (i32.and
              (i32.eq (i32.load8_u offset=12 (local.get $line)) (i32.const 0x3a))
              (i32.lt_s (i32.load offset=24 (;TYPE_START;) (i32.const 0)) (i32.const 0))))
          (then
            (local.set $at (call $blank (i32.add (local.get $line) (i32.const 13)) (local.get $end)))
            (i32.store offset=24 (;TYPE_START;) (i32.const 0) (i32.sub (local.get $at) (local.get $start)))
            (block $over
              (loop $more
                (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
                (local.set $value (i32.load8_u (local.get $at)))
                (br_if $over
                  (i32.or
                    (i32.eq (local.get $value) (i32.const 0x0d))
                    (i32.eq (local.get $value) (i32.const 0x0a))))
                (local.set $at (i32.add (local.get $at) (i32.const 1)))
                (br $more)))
            (i32.store offset=28 (;TYPE_END;) (i32.const 0) (i32.sub (local.get $at) (local.get $start)))))
        (return)))
    ;; "transfer" or "upgrade:"
    (if
      (i32.or
        (i64.eq (local.get $name) (i64.const 0x726566736e617274))
        (i64.eq (local.get $name) (i64.const 0x3a65646172677075)))
      (then (i32.store offset=32 (;UNUSUAL;) (i32.const 0) (i32.const 1)))))

  ;; Length of the head at $start, in which no line ends before $from; minus as many bytes as need not be looked at again where
  ;; its end is not there.
  (func $lines (param $start i32) (param $end i32) (param $from i32) (param $room i32) (result i32)
    (local $at i32) (local $found v128) (local $ends i32) (local $lf i32) (local $next i32)
    (local.set $at (local.get $from))
    (i32.store (;LINES;) (i32.const 0) (i32.const 0))
    (i32.store offset=20 (;LENGTH;) (i32.const 0) (i32.const -1))
    (i32.store offset=24 (;TYPE_START;) (i32.const 0) (i32.const -1))
    (i32.store offset=32 (;UNUSUAL;) (i32.const 0) (i32.const 0))
    (i32.store offset=36 (;OVERFLOW;) (i32.const 0) (i32.const 0))
    (block $over
      (loop $more
        (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $found
          (i8x16.eq
            (v128.load align=1 (local.get $at))
            (v128.const i8x16 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10 10)))
        (if (v128.any_true (local.get $found))
          (then
            (local.set $ends (i8x16.bitmask (local.get $found)))
            (if (i32.lt_u (i32.sub (local.get $end) (local.get $at)) (i32.const 16))
              (then
                (local.set $ends
                  (i32.and
                    (local.get $ends)
                    (i32.sub
                      (i32.shl (i32.const 1) (i32.sub (local.get $end) (local.get $at)))
                      (i32.const 1))))))
            (block $none
              (loop $each
                (br_if $none (i32.eqz (local.get $ends)))
                (local.set $lf (i32.add (local.get $at) (i32.ctz (local.get $ends))))
                (local.set $ends (i32.and (local.get $ends) (i32.sub (local.get $ends) (i32.const 1))))
                (if (i32.ge_u (i32.add (local.get $lf) (i32.const 1)) (local.get $end))
                  (then (return (i32.sub (local.get $start) (local.get $lf)))))
                (local.set $next (i32.load offset=1 align=1 (local.get $lf)))
                (if (i32.eq (i32.and (local.get $next) (i32.const 0xff)) (i32.const 10))
                  (then (return (i32.sub (i32.add (local.get $lf) (i32.const 2)) (local.get $start)))))
                (if (i32.eq (i32.and (local.get $next) (i32.const 0xff)) (i32.const 13))
                  (then
                    (if (i32.ge_u (i32.add (local.get $lf) (i32.const 2)) (local.get $end))
                      (then (return (i32.sub (local.get $start) (local.get $lf)))))
                    (if (i32.eq (i32.and (local.get $next) (i32.const 0xff00)) (i32.const 0x0a00))
                      (then (return (i32.sub (i32.add (local.get $lf) (i32.const 3)) (local.get $start)))))))
                ;; In either case: "cont", "tran", "upgr".
                (local.set $next (i32.or (local.get $next) (i32.const 0x20202020)))
                (if
                  (i32.or
                    (i32.eq (local.get $next) (i32.const 0x746e6f63))
                    (i32.or
                      (i32.eq (local.get $next) (i32.const 0x6e617274))
                      (i32.eq (local.get $next) (i32.const 0x72677075))))
                  (then
                    (call $note
                      (local.get $start)
                      (i32.add (local.get $lf) (i32.const 1))
                      (local.get $end)
                      (local.get $room))))
                (br $each)))))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $more)))
    (i32.sub (local.get $start) (local.get $end)))

  ;; The same of a response; 0 where its status line is not there or not plain.
  (func (export "response") (param $start i32) (param $end i32) (param $room i32) (result i32)
    (local $status i32)
    (if (i32.lt_u (i32.sub (local.get $end) (local.get $start)) (i32.const 16)) (then (return (i32.const 0))))
    ;; "HTTP/1.", a digit, a space.
    (if
      (i64.ne
        (i64.and (i64.load align=1 (local.get $start)) (i64.const 0xfeffffffffffffff))
        (i64.const 0x302e312f50545448))
      (then (return (i32.const 0))))
    (if (i32.ne (i32.load8_u offset=8 (local.get $start)) (i32.const 0x20)) (then (return (i32.const 0))))
    ;; Three digits, the first not 0.
    (local.set $status
      (i32.sub (i32.load offset=9 align=1 (local.get $start)) (i32.const 0x303030)))
    (local.set $status (i32.and (local.get $status) (i32.const 0xffffff)))
    (if
      (i32.or
        (i32.eqz (i32.and (local.get $status) (i32.const 0xff)))
        (i32.or
          (i32.gt_u (i32.and (local.get $status) (i32.const 0xff)) (i32.const 9))
          (i32.or
            (i32.gt_u
              (i32.and (i32.shr_u (local.get $status) (i32.const 8)) (i32.const 0xff))
              (i32.const 9))
            (i32.gt_u (i32.shr_u (local.get $status) (i32.const 16)) (i32.const 9)))))
      (then (return (i32.const 0))))
    (i32.store offset=16 (;STATUS;)
      (i32.const 0)
      (i32.add
        (i32.add
          (i32.mul (i32.and (local.get $status) (i32.const 0xff)) (i32.const 100))
          (i32.mul
            (i32.and (i32.shr_u (local.get $status) (i32.const 8)) (i32.const 0xff))
            (i32.const 10)))
        (i32.shr_u (local.get $status) (i32.const 16))))
    (call $lines
      (local.get $start)
      (local.get $end)
      (i32.add (local.get $start) (i32.const 12))
      (local.get $room)))

  ;; The same of a request.
  (func (export "request") (param $start i32) (param $end i32) (param $room i32) (result i32)
    (local $first i32) (local $at i32) (local $target i32) (local $bytes v128) (local $graph i32)
    (if (i32.lt_u (i32.sub (local.get $end) (local.get $start)) (i32.const 16)) (then (return (i32.const 0))))
    ;; The usual methods.
    (local.set $first (i32.load align=1 (local.get $start)))
    (block $known
      (if (i32.eq (local.get $first) (i32.const 0x20544547)) ;; "GET "
        (then
          (i32.store offset=4 (;METHOD;) (i32.const 0) (i32.const 0))
          (local.set $at (i32.add (local.get $start) (i32.const 3)))
          (br $known)))
      (if (i32.eq (local.get $first) (i32.const 0x54534f50)) ;; "POST"
        (then
          (i32.store offset=4 (;METHOD;) (i32.const 0) (i32.const 1))
          (local.set $at (i32.add (local.get $start) (i32.const 4)))
          (br $known)))
      (if (i32.eq (local.get $first) (i32.const 0x20545550)) ;; "PUT "
        (then
          (i32.store offset=4 (;METHOD;) (i32.const 0) (i32.const 2))
          (local.set $at (i32.add (local.get $start) (i32.const 3)))
          (br $known)))
      (if (i32.eq (local.get $first) (i32.const 0x44414548)) ;; "HEAD"
        (then
          (i32.store offset=4 (;METHOD;) (i32.const 0) (i32.const 3))
          (local.set $at (i32.add (local.get $start) (i32.const 4)))
          (br $known)))
      (if ;; "DELETE"
        (i32.and
          (i32.eq (local.get $first) (i32.const 0x454c4544))
          (i32.eq (i32.load16_u offset=4 align=1 (local.get $start)) (i32.const 0x4554)))
        (then
          (i32.store offset=4 (;METHOD;) (i32.const 0) (i32.const 4))
          (local.set $at (i32.add (local.get $start) (i32.const 6)))
          (br $known)))
      (return (i32.const 0)))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x20)) (then (return (i32.const 0))))
    (i32.store offset=8 (;METHOD_END;) (i32.const 0) (i32.sub (local.get $at) (local.get $start)))
    (local.set $target (i32.add (local.get $at) (i32.const 1)))
    (if (i32.ne (i32.load8_u (local.get $target)) (i32.const 0x2f)) (then (return (i32.const 0))))
    ;; The path goes up to a space or control, DEL, # or ?. Whether a segment of it begins with g is noted on the way, at times
    ;; where one behind it does.
    (local.set $at (local.get $target))
    (block $over
      (loop $more
        (br_if $over (i32.ge_u (local.get $at) (local.get $end)))
        (local.set $bytes (v128.load align=1 (local.get $at)))
        (if
          (v128.any_true
            (v128.and
              (i8x16.eq
                (v128.or (v128.load offset=1 align=1 (local.get $at)) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020))
                (v128.const i32x4 0x67676767 0x67676767 0x67676767 0x67676767))
              (i8x16.eq (local.get $bytes) (v128.const i32x4 0x2f2f2f2f 0x2f2f2f2f 0x2f2f2f2f 0x2f2f2f2f))))
          (then (local.set $graph (i32.const 1))))
        (local.set $bytes
          (v128.or
            (i8x16.le_u (local.get $bytes) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020))
            (v128.or
              (i8x16.eq (local.get $bytes) (v128.const i32x4 0x3f3f3f3f 0x3f3f3f3f 0x3f3f3f3f 0x3f3f3f3f))
              (v128.or
                (i8x16.eq (local.get $bytes) (v128.const i32x4 0x23232323 0x23232323 0x23232323 0x23232323))
                (i8x16.eq (local.get $bytes) (v128.const i32x4 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f))))))
        (if (v128.any_true (local.get $bytes))
          (then
            (local.set $at (i32.add (local.get $at) (i32.ctz (i8x16.bitmask (local.get $bytes)))))
            (br $over)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $more)))
    (i32.store offset=12 (;PATH_END;) (i32.const 0) (i32.sub (local.get $at) (local.get $start)))
    (i32.store offset=40 (;MAY_NAME_GRAPHQL;) (i32.const 0) (local.get $graph))
    ;; The target, up to a space.
    (block $over
      (loop $more
        (if (i32.ge_u (local.get $at) (local.get $end)) (then (return (i32.const 0))))
        (local.set $bytes (v128.load align=1 (local.get $at)))
        (local.set $bytes
          (v128.or
            (i8x16.le_u (local.get $bytes) (v128.const i32x4 0x20202020 0x20202020 0x20202020 0x20202020))
            (i8x16.eq (local.get $bytes) (v128.const i32x4 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f 0x7f7f7f7f))))
        (if (v128.any_true (local.get $bytes))
          (then
            (local.set $at (i32.add (local.get $at) (i32.ctz (i8x16.bitmask (local.get $bytes)))))
            (br $over)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $more)))
    ;; A space, "HTTP/1.", a digit and the end of the line.
    (if (i32.gt_u (i32.add (local.get $at) (i32.const 11)) (local.get $end)) (then (return (i32.const 0))))
    (if
      (i64.ne
        (i64.and (i64.load offset=1 align=1 (local.get $at)) (i64.const 0xfeffffffffffffff))
        (i64.const 0x302e312f50545448))
      (then (return (i32.const 0))))
    (if (i32.ne (i32.load8_u (local.get $at)) (i32.const 0x20)) (then (return (i32.const 0))))
    (if (i32.ne (i32.load16_u offset=9 align=1 (local.get $at)) (i32.const 0x0a0d)) (then (return (i32.const 0))))
    (call $lines
      (local.get $start)
      (local.get $end)
      (i32.add (local.get $at) (i32.const 9))
      (local.get $room))))
