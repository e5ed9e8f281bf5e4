/**
 * Domains of providers that give anybody a mail address. The list contains the large providers of each region and is maintained
 * by hand. A domain belongs in this list if anybody can sign up for an address in it.
 */
export const freeMailDomains: ReadonlySet<string> = new Set(
  `
  gmail.com googlemail.com
  outlook.com outlook.de outlook.fr outlook.es outlook.it outlook.jp hotmail.com hotmail.co.uk hotmail.de hotmail.fr
  hotmail.es hotmail.it live.com live.co.uk live.de live.fr live.nl msn.com passport.com
  yahoo.com yahoo.co.uk yahoo.co.in yahoo.co.jp yahoo.ca yahoo.com.br yahoo.com.mx yahoo.com.ar yahoo.com.au yahoo.de
  yahoo.es yahoo.fr yahoo.in yahoo.it ymail.com rocketmail.com aol.com aim.com myyahoo.com
  icloud.com me.com mac.com
  proton.me protonmail.com protonmail.ch pm.me tutanota.com tutanota.de tuta.com tuta.io tutamail.com keemail.me
  gmx.com gmx.net gmx.de gmx.at gmx.ch web.de mail.de freenet.de t-online.de posteo.de posteo.net mailbox.org
  zoho.com zohomail.com zohomail.eu mail.com email.com usa.com fastmail.com fastmail.fm hushmail.com hey.com duck.com
  yandex.com yandex.ru ya.ru mail.ru bk.ru inbox.ru list.ru internet.ru rambler.ru
  qq.com foxmail.com 163.com 126.com yeah.net sina.com sina.cn sohu.com aliyun.com 139.com 189.cn
  naver.com daum.net hanmail.net kakao.com nate.com
  rediffmail.com orange.fr wanadoo.fr free.fr laposte.net sfr.fr libero.it virgilio.it tiscali.it alice.it
  uol.com.br bol.com.br terra.com.br ig.com.br seznam.cz centrum.cz email.cz wp.pl o2.pl onet.pl interia.pl op.pl
  abv.bg ukr.net i.ua bluewin.ch ziggo.nl kpnmail.nl telenet.be comcast.net verizon.net att.net sbcglobal.net cox.net
  bellsouth.net charter.net btinternet.com sky.com virginmedia.com talktalk.net ntlworld.com rogers.com shaw.ca
  sympatico.ca bigpond.com optusnet.com.au xtra.co.nz
  mailinator.com guerrillamail.com 10minutemail.com temp-mail.org yopmail.com sharklasers.com trashmail.com
  `
    .trim()
    .split(/\s+/),
)
