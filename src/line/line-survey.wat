;; The program of line-survey.ts: `wat2wasm line-survey.wat`, then base64.
;; It says of each line whether it is a message of the host's that needs no parsing, and where that stands what tells the line; or which
;; lines may matter to a fold.
;; Each function takes a place and answers the place behind what it has found there, or 0 if that is not there. None of them goes
;; past a line feed: in a string it is not allowed, and nowhere else is it looked for.
(module
  (memory (export "memory") 16)

  ;; White space.
  (func $space (param $p i32) (result i32) (local $c i32)
    (loop $next
      (local.set $c (i32.load8_u (local.get $p)))
      (if (i32.or (i32.eq (local.get $c) (i32.const 0x20))
                  (i32.or (i32.eq (local.get $c) (i32.const 0x09)) (i32.eq (local.get $c) (i32.const 0x0d))))
        (then (local.set $p (i32.add (local.get $p) (i32.const 1))) (br $next))))
    (local.get $p))

  (func $isHex (param $c i32) (result i32)
    (i32.or (i32.lt_u (i32.sub (local.get $c) (i32.const 0x30)) (i32.const 10))
            (i32.lt_u (i32.sub (i32.or (local.get $c) (i32.const 0x20)) (i32.const 0x61)) (i32.const 6))))

  ;; An escape of a string, with its backslash.
  (func $escape (param $p i32) (result i32) (local $c i32)
    (local.set $c (i32.load8_u offset=1 (local.get $p)))
    (if (i32.eq (local.get $c) (i32.const 0x75))
      (then
        (if (i32.and
              (i32.and (call $isHex (i32.load8_u offset=2 (local.get $p))) (call $isHex (i32.load8_u offset=3 (local.get $p))))
              (i32.and (call $isHex (i32.load8_u offset=4 (local.get $p))) (call $isHex (i32.load8_u offset=5 (local.get $p)))))
          (then (return (i32.add (local.get $p) (i32.const 6)))))
        (return (i32.const 0))))
    (if (i64.eqz (i64.and
          (select (i64.const 0x144044) (i64.const 0x1000000000008004) (i32.ge_u (local.get $c) (i32.const 0x60)))
          (i64.shl (i64.extend_i32_u (i32.lt_u (i32.sub (local.get $c) (i32.const 0x20)) (i32.const 0x60)))
                   (i64.extend_i32_u (i32.sub (local.get $c) (select (i32.const 0x60) (i32.const 0x20) (i32.ge_u (local.get $c) (i32.const 0x60))))))))
      (then (return (i32.const 0))))
    (i32.add (local.get $p) (i32.const 2)))

  ;; The rest of a string, behind its first quote. $m has a bit for each of sixteen bytes that may end it. The usual escapes, which are
  ;; frequent, are passed over in it.
  (func $string (param $p i32) (result i32) (local $v v128) (local $m i32) (local $c i32) (local $q i32)
    (loop $next
      (local.set $v (v128.load (local.get $p)))
      (local.set $m (i8x16.bitmask (v128.or
        (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22))) (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c))))
        (i8x16.lt_u (local.get $v) (i8x16.splat (i32.const 0x20))))))
      (loop $mark
        (if (i32.eqz (local.get $m))
          (then (local.set $p (i32.add (local.get $p) (i32.const 16))) (br $next)))
        (local.set $q (i32.add (local.get $p) (i32.ctz (local.get $m))))
        (local.set $c (i32.load8_u (local.get $q)))
        (if (i32.eq (local.get $c) (i32.const 0x22)) (then (return (i32.add (local.get $q) (i32.const 1)))))
        (if (i32.ne (local.get $c) (i32.const 0x5c)) (then (return (i32.const 0))))
        (local.set $c (i32.load8_u offset=1 (local.get $q)))
        (if (i32.or (i32.eq (local.get $c) (i32.const 0x6e))
                    (i32.or (i32.eq (local.get $c) (i32.const 0x22)) (i32.eq (local.get $c) (i32.const 0x5c))))
          (then
            (local.set $q (i32.add (i32.ctz (local.get $m)) (i32.const 2)))
            (if (i32.lt_u (local.get $q) (i32.const 16))
              (then
                (local.set $m (i32.and (local.get $m) (i32.shl (i32.const -1) (local.get $q))))
                (br $mark)))
            (local.set $p (i32.add (local.get $p) (local.get $q)))
            (br $next)))
        (local.set $p (call $escape (local.get $q)))
        (br_if $next (local.get $p))))
    (i32.const 0))

  ;; The same of a string that is printable ASCII without escapes.
  (func $plain (param $p i32) (result i32) (local $v v128) (local $m i32)
    (loop $next
      (local.set $v (v128.load (local.get $p)))
      (local.set $m (i8x16.bitmask (v128.or
        (v128.or (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x22))) (i8x16.eq (local.get $v) (i8x16.splat (i32.const 0x5c))))
        (i8x16.lt_s (local.get $v) (i8x16.splat (i32.const 0x20))))))
      (if (i32.eqz (local.get $m))
        (then (local.set $p (i32.add (local.get $p) (i32.const 16))) (br $next)))
      (local.set $p (i32.add (local.get $p) (i32.ctz (local.get $m)))))
    (select (i32.add (local.get $p) (i32.const 1)) (i32.const 0)
      (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x22))))

  (func $isDigit (param $p i32) (result i32)
    (i32.lt_u (i32.sub (i32.load8_u (local.get $p)) (i32.const 0x30)) (i32.const 10)))

  ;; One digit or more.
  (func $digits (param $p i32) (result i32)
    (if (i32.eqz (call $isDigit (local.get $p))) (then (return (i32.const 0))))
    (loop $next
      (local.set $p (i32.add (local.get $p) (i32.const 1)))
      (br_if $next (call $isDigit (local.get $p))))
    (local.get $p))

  (func $number (param $p i32) (result i32) (local $c i32)
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2d)) (then (local.set $p (i32.add (local.get $p) (i32.const 1)))))
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x30))
      (then (local.set $p (i32.add (local.get $p) (i32.const 1))))
      (else
        (local.set $p (call $digits (local.get $p)))
        (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x2e))
      (then
        (local.set $p (call $digits (i32.add (local.get $p) (i32.const 1))))
        (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))))
    (if (i32.eq (i32.or (i32.load8_u (local.get $p)) (i32.const 0x20)) (i32.const 0x65))
      (then
        (local.set $p (i32.add (local.get $p) (i32.const 1)))
        (local.set $c (i32.load8_u (local.get $p)))
        (if (i32.or (i32.eq (local.get $c) (i32.const 0x2b)) (i32.eq (local.get $c) (i32.const 0x2d)))
          (then (local.set $p (i32.add (local.get $p) (i32.const 1)))))
        (local.set $p (call $digits (local.get $p)))))
    (local.get $p))

  ;; Any value with white space before it, at most $levels deep.
  (func $value (param $p i32) (param $levels i32) (result i32) (local $c i32)
    (local.set $p (call $space (local.get $p)))
    (local.set $c (i32.load8_u (local.get $p)))
    (if (i32.eq (local.get $c) (i32.const 0x22)) (then (return (call $string (i32.add (local.get $p) (i32.const 1))))))
    (if (i32.eq (local.get $c) (i32.const 0x7b))
      (then
        (if (i32.eqz (local.get $levels)) (then (return (i32.const 0))))
        (local.set $p (call $space (i32.add (local.get $p) (i32.const 1))))
        (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x7d)) (then (return (i32.add (local.get $p) (i32.const 1)))))
        (loop $field
          (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x22)) (then (return (i32.const 0))))
          (local.set $p (call $string (i32.add (local.get $p) (i32.const 1))))
          (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
          (local.set $p (call $space (local.get $p)))
          (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x3a)) (then (return (i32.const 0))))
          (local.set $p (call $value (i32.add (local.get $p) (i32.const 1)) (i32.sub (local.get $levels) (i32.const 1))))
          (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
          (local.set $p (call $space (local.get $p)))
          (local.set $c (i32.load8_u (local.get $p)))
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (if (i32.eq (local.get $c) (i32.const 0x2c)) (then (local.set $p (call $space (local.get $p))) (br $field))))
        (return (select (local.get $p) (i32.const 0) (i32.eq (local.get $c) (i32.const 0x7d))))))
    (if (i32.eq (local.get $c) (i32.const 0x5b))
      (then
        (if (i32.eqz (local.get $levels)) (then (return (i32.const 0))))
        (local.set $p (call $space (i32.add (local.get $p) (i32.const 1))))
        (if (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x5d)) (then (return (i32.add (local.get $p) (i32.const 1)))))
        (loop $item
          (local.set $p (call $value (local.get $p) (i32.sub (local.get $levels) (i32.const 1))))
          (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
          (local.set $p (call $space (local.get $p)))
          (local.set $c (i32.load8_u (local.get $p)))
          (local.set $p (i32.add (local.get $p) (i32.const 1)))
          (br_if $item (i32.eq (local.get $c) (i32.const 0x2c))))
        (return (select (local.get $p) (i32.const 0) (i32.eq (local.get $c) (i32.const 0x5d))))))
    (if (i32.eq (i32.load (local.get $p)) (i32.const 0x65757274)) (then (return (i32.add (local.get $p) (i32.const 4)))))
    (if (i32.eq (i32.load (local.get $p)) (i32.const 0x6c6c756e)) (then (return (i32.add (local.get $p) (i32.const 4)))))
    (if (i32.and (i32.eq (local.get $c) (i32.const 0x66)) (i32.eq (i32.load offset=1 (local.get $p)) (i32.const 0x65736c61)))
      (then (return (i32.add (local.get $p) (i32.const 5)))))
    (call $number (local.get $p)))

  ;; A plain string. Where it begins and how long it is, is written at $at.
  (func $text (param $p i32) (param $at i32) (result i32) (local $end i32)
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x22)) (then (return (i32.const 0))))
    (local.set $p (i32.add (local.get $p) (i32.const 1)))
    (local.set $end (call $plain (local.get $p)))
    (if (i32.eqz (local.get $end)) (then (return (i32.const 0))))
    (i32.store (local.get $at) (local.get $p))
    (i32.store offset=4 (local.get $at) (i32.sub (i32.sub (local.get $end) (i32.const 1)) (local.get $p)))
    (local.get $end))

  ;; A key with its colon and the white space around it; written as $text does.
  (func $key (param $p i32) (param $at i32) (result i32)
    (local.set $p (call $text (call $space (local.get $p)) (local.get $at)))
    (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
    (local.set $p (call $space (local.get $p)))
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x3a)) (then (return (i32.const 0))))
    (call $space (i32.add (local.get $p) (i32.const 1))))

  ;; An object with a plain role, which stands once. Its keys are plain.
  (func $message (param $p i32) (param $line i32) (result i32) (local $c i32) (local $hasRole i32) (local $name i32)
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x7b)) (then (return (i32.const 0))))
    (loop $field
      (local.set $p (call $key (i32.add (local.get $p) (i32.const 1)) (i32.add (local.get $line) (i32.const 40))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (local.set $name (i32.load offset=40 (local.get $line)))
      (if (i32.and (i32.eq (i32.load offset=44 (local.get $line)) (i32.const 4)) (i32.eq (i32.load (local.get $name)) (i32.const 0x656c6f72)))
        (then
          (if (local.get $hasRole) (then (return (i32.const 0))))
          (local.set $hasRole (i32.const 1))
          (local.set $p (call $text (local.get $p) (i32.add (local.get $line) (i32.const 28)))))
        (else (local.set $p (call $value (local.get $p) (i32.const 48)))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (local.set $p (call $space (local.get $p)))
      (local.set $c (i32.load8_u (local.get $p)))
      (br_if $field (i32.eq (local.get $c) (i32.const 0x2c))))
    (select (i32.add (local.get $p) (i32.const 1)) (i32.const 0)
      (i32.and (local.get $hasRole) (i32.eq (local.get $c) (i32.const 0x7d)))))

  ;; An object with fields of these nine names, each of them once and no other, and the line feed behind it, whose place is answered.
  ;; Which they were is written, and of the type only two values count: a message has 31, and 487 a line that repeats a value.
  (func $entry (param $p i32) (param $line i32) (result i32)
    (local $seen i32) (local $bit i32) (local $name i32) (local $length i32) (local $word i64) (local $c i32)
    (local.set $p (call $space (local.get $p)))
    (if (i32.ne (i32.load8_u (local.get $p)) (i32.const 0x7b)) (then (return (i32.const 0))))
    (loop $field
      (local.set $p (call $key (i32.add (local.get $p) (i32.const 1)) (i32.add (local.get $line) (i32.const 40))))
      (if (i32.eqz (local.get $p)) (then (return (i32.const 0))))
      (local.set $name (i32.load offset=40 (local.get $line)))
      (local.set $length (i32.load offset=44 (local.get $line)))
      (local.set $word (i64.load (local.get $name)))
      (local.set $bit (i32.const 0))
      (if (i32.and (i32.eq (local.get $length) (i32.const 2)) (i64.eq (i64.and (local.get $word) (i64.const 0xffff)) (i64.const 0x6469)))
        (then
          (local.set $bit (i32.const 1))
          (local.set $p (call $text (local.get $p) (i32.add (local.get $line) (i32.const 4))))))
      (if (i32.and (i32.eq (local.get $length) (i32.const 8)) (i64.eq (local.get $word) (i64.const 0x6449746e65726170)))
        (then
          (local.set $bit (i32.const 2))
          (if (i32.eq (i32.load (local.get $p)) (i32.const 0x6c6c756e))
            (then
              (i32.store offset=12 (local.get $line) (i32.const 0))
              (local.set $p (i32.add (local.get $p) (i32.const 4))))
            (else (local.set $p (call $text (local.get $p) (i32.add (local.get $line) (i32.const 12))))))))
      (if (i32.and (i32.eq (local.get $length) (i32.const 9))
            (i32.and (i64.eq (local.get $word) (i64.const 0x6d617473656d6974)) (i32.eq (i32.load8_u offset=8 (local.get $name)) (i32.const 0x70))))
        (then
          (local.set $bit (i32.const 4))
          (local.set $p (call $text (local.get $p) (i32.add (local.get $line) (i32.const 20))))))
      (if (i32.and (i32.eq (local.get $length) (i32.const 7)) (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffffff)) (i64.const 0x6567617373656d)))
        (then
          (local.set $bit (i32.const 8))
          (local.set $p (call $message (local.get $p) (local.get $line)))))
      (if (i32.and (i32.eq (local.get $length) (i32.const 4)) (i32.eq (i32.wrap_i64 (local.get $word)) (i32.const 0x65707974)))
        (then
          (if (i32.and
                (i64.eq (i64.load (local.get $p)) (i64.const 0x6567617373656d22))
                (i32.eq (i32.load8_u offset=8 (local.get $p)) (i32.const 0x22)))
            (then
              (local.set $bit (i32.const 16))
              (local.set $p (i32.add (local.get $p) (i32.const 9))))
            (else
              (if (i64.eq (i64.load (local.get $p)) (i64.const 0x226d6f7473756322)) (then (local.set $bit (i32.const 256))))
              (local.set $p (i32.add (local.get $p) (i32.const 8)))))))
      (if (i32.and (i32.eq (local.get $length) (i32.const 10))
            (i32.and (i64.eq (local.get $word) (i64.const 0x79546d6f74737563)) (i32.eq (i32.load16_u offset=8 (local.get $name)) (i32.const 0x6570))))
        (then
          (local.set $bit (i32.const 32))
          (local.set $p (call $text (local.get $p) (i32.add (local.get $line) (i32.const 28))))))
      (if (i32.and (i32.eq (local.get $length) (i32.const 4)) (i32.eq (i32.wrap_i64 (local.get $word)) (i32.const 0x61746164)))
        (then
          (local.set $bit (i32.const 64))
          (local.set $p (call $value (local.get $p) (i32.const 48)))))
      (if (i32.and (i32.eq (local.get $length) (i32.const 6)) (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffff)) (i64.const 0x726f7272696d)))
        (then
          (local.set $bit (i32.const 128))
          (local.set $p (call $value (local.get $p) (i32.const 48)))))
      (if (i32.or (i32.eqz (local.get $p)) (i32.or (i32.eqz (local.get $bit)) (i32.and (local.get $seen) (local.get $bit))))
        (then (return (i32.const 0))))
      (local.set $seen (i32.or (local.get $seen) (local.get $bit)))
      (local.set $p (call $space (local.get $p)))
      (local.set $c (i32.load8_u (local.get $p)))
      (br_if $field (i32.eq (local.get $c) (i32.const 0x2c))))
    (i32.store offset=48 (local.get $line) (local.get $seen))
    (local.set $p (call $space (i32.add (local.get $p) (i32.const 1))))
    (select (local.get $p) (i32.const 0)
      (i32.and (i32.eq (local.get $c) (i32.const 0x7d)) (i32.eq (i32.load8_u (local.get $p)) (i32.const 0x0a)))))

  ;; Answers the place of the next line feed.
  (func $feed (param $p i32) (result i32) (local $m i32)
    (loop $next
      (local.set $m (i8x16.bitmask (i8x16.eq (v128.load (local.get $p)) (i8x16.splat (i32.const 0x0a)))))
      (if (i32.eqz (local.get $m))
        (then (local.set $p (i32.add (local.get $p) (i32.const 16))) (br $next))))
    (i32.add (local.get $p) (i32.ctz (local.get $m))))

  ;; Goes through lines until $end, which stands behind a line feed, and answers how many, at most $most. For each it writes nine
  ;; numbers: where its line feed is; where its id begins and how long it is; the same of parentId (0: null), timestamp and role.
  ;; The second is 0 if the line is no such message.
  (func (export "survey") (param $p i32) (param $end i32) (param $out i32) (param $most i32) (result i32)
    (local $line i32) (local $feed i32) (local $count i32)
    (local.set $line (local.get $out))
    (block $over
      (loop $next
        (br_if $over (i32.ge_u (local.get $p) (local.get $end)))
        (br_if $over (i32.ge_u (local.get $count) (local.get $most)))
        (local.set $feed (call $entry (local.get $p) (local.get $line)))
        (if (i32.or (i32.eqz (local.get $feed)) (i32.ne (i32.load offset=48 (local.get $line)) (i32.const 31)))
          (then
            (i32.store offset=4 (local.get $line) (i32.const 0))
            (local.set $feed (call $feed (local.get $p)))))
        (i32.store (local.get $line) (local.get $feed))
        (local.set $p (i32.add (local.get $feed) (i32.const 1)))
        (local.set $line (i32.add (local.get $line) (i32.const 36)))
        (local.set $count (i32.add (local.get $count) (i32.const 1)))
        (br $next)))
    (local.get $count))

  ;; Answers where the line begins in which $p stands; $min, where it would begin before.
  (func $start (param $p i32) (param $min i32) (result i32) (local $m i32)
    (block $near
      (loop $before
        (br_if $near (i32.lt_s (i32.sub (local.get $p) (i32.const 16)) (local.get $min)))
        (local.set $m (i8x16.bitmask (i8x16.eq (v128.load (i32.sub (local.get $p) (i32.const 16))) (i8x16.splat (i32.const 0x0a)))))
        (if (local.get $m)
          (then (return (i32.add (i32.sub (local.get $p) (i32.const 16)) (i32.sub (i32.const 32) (i32.clz (local.get $m)))))))
        (local.set $p (i32.sub (local.get $p) (i32.const 16)))
        (br $before)))
    (block $found
      (loop $before
        (br_if $found (i32.le_u (local.get $p) (local.get $min)))
        (br_if $found (i32.eq (i32.load8_u (i32.sub (local.get $p) (i32.const 1))) (i32.const 0x0a)))
        (local.set $p (i32.sub (local.get $p) (i32.const 1)))
        (br $before)))
    (local.get $p))

  ;; All bytes from $p to $end, and some behind, are ASCII.
  (func $isAscii (param $p i32) (param $end i32) (result i32)
    (loop $next
      (if (i8x16.bitmask (v128.load (local.get $p))) (then (return (i32.const 0))))
      (local.set $p (i32.add (local.get $p) (i32.const 16)))
      (br_if $next (i32.lt_u (local.get $p) (local.get $end))))
    (i32.const 1))

  ;; The text is that of $length bytes at $names, or it and `:notes`, `:plan` or `:refs`.
  (func $isValueName (param $p i32) (param $size i32) (param $names i32) (param $length i32) (result i32) (local $i i32) (local $word i64)
    (if (i32.lt_u (local.get $size) (local.get $length)) (then (return (i32.const 0))))
    (block $same
      (loop $next
        (br_if $same (i32.ge_u (local.get $i) (local.get $length)))
        (if (i32.ne (i32.load8_u (i32.add (local.get $p) (local.get $i))) (i32.load8_u (i32.add (local.get $names) (local.get $i))))
          (then (return (i32.const 0))))
        (local.set $i (i32.add (local.get $i) (i32.const 1)))
        (br $next)))
    (local.set $word (i64.load (i32.add (local.get $p) (local.get $length))))
    (local.set $i (i32.sub (local.get $size) (local.get $length)))
    (i32.or (i32.eqz (local.get $i))
      (i32.or
        (i32.and (i32.eq (local.get $i) (i32.const 6)) (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffff)) (i64.const 0x7365746f6e3a)))
        (i32.and (i32.eq (local.get $i) (i32.const 5))
          (i32.or (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffff)) (i64.const 0x6e616c703a))
                  (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffff)) (i64.const 0x736665723a)))))))

  ;; Finds the lines that may matter to a fold: those with a clue, which is `"user"`, the beginning of a name of ours with its quote, or an
  ;; escape from \u0020 to \u007f. The bytes are at 0, a line feed and 32 zeros behind them; the first line of which all is there begins at
  ;; $begin. For each it writes where it begins and where its line feed is ($length: not there), and answers how many they are. Left out are
  ;; messages of the host that are not the user's. In the first number, 0x40000000 says that it is the user's, 0x80000000 that it is
  ;; if it is UTF-8, and 0xc0000000 that it is one to be left out if it is UTF-8. With $skipped, which is the length of the name at
  ;; $names, lines that repeat a value are left out, if they are ASCII.
  (func (export "scan") (param $length i32) (param $begin i32) (param $out i32) (param $first i32) (param $name i64) (param $nameMask i64)
      (param $names i32) (param $skipped i32) (result i32)
    (local $at i32) (local $mask i32) (local $clue i32) (local $end i32) (local $word i64) (local $done i32)
    (local $start i32) (local $feed i32) (local $line i32) (local $kind i32)
    (local $a v128) (local $isU v128)
    (local.set $line (i32.sub (local.get $out) (i32.const 64)))
    (local.set $end (local.get $out))
    (block $over
      (loop $next
        (br_if $over (i32.ge_u (local.get $at) (local.get $length)))
        (local.set $a (v128.load (local.get $at)))
        (local.set $isU (i8x16.eq (v128.load offset=1 (local.get $at)) (i8x16.splat (i32.const 0x75))))
        (local.set $mask (i8x16.bitmask (v128.or
          (v128.and (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x22)))
                    (v128.or (local.get $isU) (i8x16.eq (v128.load offset=1 (local.get $at)) (i8x16.splat (local.get $first)))))
          (v128.and (i8x16.eq (local.get $a) (i8x16.splat (i32.const 0x5c))) (local.get $isU)))))
        (block $none
          (loop $bit
            (br_if $none (i32.eqz (local.get $mask)))
            (local.set $clue (i32.add (local.get $at) (i32.ctz (local.get $mask))))
            (local.set $mask (i32.and (local.get $mask) (i32.sub (local.get $mask) (i32.const 1))))
            (br_if $bit (i32.lt_u (local.get $clue) (local.get $done)))
            (local.set $word (i64.load (local.get $clue)))
            (br_if $bit (i32.eqz
              (i32.or
                (i32.or
                  (i64.eq (i64.and (local.get $word) (i64.const 0xffffffffffff)) (i64.const 0x227265737522))
                  (i64.eq (i64.and (local.get $word) (local.get $nameMask)) (local.get $name)))
                (i32.and
                  (i64.eq (i64.and (local.get $word) (i64.const 0xffffffff)) (i64.const 0x3030755c))
                  (i32.lt_u (i32.sub (i32.load8_u offset=4 (local.get $clue)) (i32.const 0x32)) (i32.const 6))))))
            (local.set $start (call $start (local.get $clue) (local.get $done)))
            (local.set $feed (call $feed (local.get $clue)))
            (local.set $done (i32.add (local.get $feed) (i32.const 1)))
            (local.set $kind (i32.const 0))
            (if (i32.and (i32.ge_u (local.get $start) (local.get $begin)) (i32.lt_u (local.get $feed) (local.get $length)))
              (then
                (if (call $entry (local.get $start) (local.get $line))
                  (then
                    (if (i32.eq (i32.load offset=48 (local.get $line)) (i32.const 31))
                      (then
                        (local.set $kind
                          (select (i32.const 0x40000000) (i32.const 0x80000000) (call $isAscii (local.get $start) (local.get $feed))))
                        (if (i32.or
                              (i32.ne (i32.load offset=32 (local.get $line)) (i32.const 4))
                              (i32.ne (i32.load (i32.load offset=28 (local.get $line))) (i32.const 0x72657375)))
                          (then
                            (br_if $bit (i32.eq (local.get $kind) (i32.const 0x40000000)))
                            (local.set $kind (i32.const 0xc0000000))))))
                    (br_if $bit
                      (i32.and
                        (i32.and (i32.ne (local.get $skipped) (i32.const 0)) (i32.eq (i32.load offset=48 (local.get $line)) (i32.const 487)))
                        (i32.and
                          (call $isValueName (i32.load offset=28 (local.get $line)) (i32.load offset=32 (local.get $line)) (local.get $names) (local.get $skipped))
                          (call $isAscii (local.get $start) (local.get $feed)))))))))
            (i32.store (local.get $end) (i32.or (local.get $start) (local.get $kind)))
            (i32.store offset=4 (local.get $end) (local.get $feed))
            (local.set $end (i32.add (local.get $end) (i32.const 8)))
            (br $bit)))
        (local.set $at (i32.add (local.get $at) (i32.const 16)))
        (br $next)))
    (i32.shr_u (i32.sub (local.get $end) (local.get $out)) (i32.const 3))))
