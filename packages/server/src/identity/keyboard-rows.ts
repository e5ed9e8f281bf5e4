/** The rows of each keyboard that the estimator does not know. */
export const keyboardRows: readonly (readonly string[])[] = [
  // Arabic and Persian
  ['ضصثقفغعهخحجد', 'شسيبلاتنمكط', 'ئءؤرىةوزظ'],
  ['ضصثقفغعهخحجچ', 'شسیبلاتنمکگ', 'ظطزرذدئو'],
  // Russian, Greek and Hebrew
  ['йцукенгшщзхъ', 'фывапролджэ', 'ячсмитьбю'],
  ['ςερτυθιοπ', 'ασδφγηξκλ', 'ζχψωβνμ'],
  ['קראטוןםפ', 'שדגכעיחלךף', 'זסבהנמצתץ'],
  // Hangul, Georgian and kana
  ['ㅂㅈㄷㄱㅅㅛㅕㅑㅐㅔ', 'ㅁㄴㅇㄹㅎㅗㅓㅏㅣ', 'ㅋㅌㅊㅍㅠㅜㅡ'],
  ['ქწერტყუიოპ', 'ასდფგჰჯკლ', 'ზხცვბნმ'],
  ['ぬふあうえおやゆよわほへ', 'たていすかんなにらせ', 'ちとしはきくまのりれけむ', 'つさそひこみもねるめろ'],
  // Bépo, Colemak and the Turkish F keyboard
  ['bépoèvdljzw', 'auiectsrnmç', 'êàyx.k’qghf'],
  ['qwfpgjluy;', 'arstdhneio', 'zxcvbkm'],
  ['fgğıodrnhpqwx', 'uieaütkmlyş', 'jövcçzsb'],
]

/** Characters in an order that people know, and that is not the order of Unicode. */
export const knownOrders: readonly string[] = [
  'ㄱㄴㄷㄹㅁㅂㅅㅇㅈㅊㅋㅌㅍㅎ',
  'ㅏㅑㅓㅕㅗㅛㅜㅠㅡㅣ',
  '一二三四五六七八九十',
  '甲乙丙丁戊己庚辛壬癸',
  '子丑寅卯辰巳午未申酉戌亥',
  'あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん',
  'いろはにほへとちりぬるをわかよたれそつねならむうゐのおくやまけふこえてあさきゆめみしゑひもせす',
  'ابتثجحخدذرزسشصضطظعغفقكلمنهوي',
  'ابجدهوزحطيكلمنسعفصقرشت',
  'אבגדהוזחטיכלמנסעפצקרשת',
]
