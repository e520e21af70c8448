// Throw-away certificates, written byte by byte, since Node can sign but not build one.
import { createPrivateKey, generateKeyPairSync, sign } from 'node:crypto';
import { isIP } from 'node:net';

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BOOLEAN = 0x01;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OBJECT_ID = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const explicit = (number: number): number => 0xa0 + number;

const COMMON_NAME = '550403';
const SUBJECT_ALT_NAME = '551d11';
const BASIC_CONSTRAINTS = '551d13';
const ECDSA_WITH_SHA256 = '2a8648ce3d040302';

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const length = content.length < 0x80 ? Buffer.from([content.length]) : Buffer.from([0x82, content.length >> 8, content.length & 0xff]);
  return Buffer.concat([Buffer.from([tag]), length, content]);
}

const objectId = (hex: string): Buffer => der(OBJECT_ID, Buffer.from(hex, 'hex'));
const time = (at: Date): Buffer => der(UTC_TIME, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-T:]/g, '')}Z`));

export type Certificate = Readonly<{ key: string; cert: string }>;
type Wanted = Readonly<{
  commonName: string;
  /** Names and addresses of a server. */
  hosts?: readonly string[];
  /** Who signs it; itself when it is left out. */
  issuer?: Certificate & Readonly<{ commonName: string }>;
  /** May sign others. */
  isCa?: boolean;
}>;

const nameOf = (commonName: string): Buffer =>
  der(SEQUENCE, der(SET, der(SEQUENCE, objectId(COMMON_NAME), der(UTF8_STRING, Buffer.from(commonName)))));

const extension = (id: string, content: Buffer): Buffer => der(SEQUENCE, objectId(id), der(OCTET_STRING, content));

const hostName = (host: string): Buffer =>
  isIP(host) === 4 ? der(0x87, Buffer.from(host.split('.').map(Number))) : der(0x82, Buffer.from(host));

/** A private key and its certificate, as PEM, valid for a day around now. */
export function createCertificate({ commonName, hosts = [], issuer, isCa = false }: Wanted): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const algorithm = der(SEQUENCE, objectId(ECDSA_WITH_SHA256));
  const extensions = [
    ...(hosts.length === 0 ? [] : [extension(SUBJECT_ALT_NAME, der(SEQUENCE, ...hosts.map(hostName)))]),
    ...(isCa ? [extension(BASIC_CONSTRAINTS, der(SEQUENCE, der(BOOLEAN, Buffer.from([0xff]))))] : []),
  ];
  const halfDayMs = 12 * 60 * 60 * 1000;
  const body = der(
    SEQUENCE,
    der(explicit(0), der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    algorithm,
    nameOf(issuer?.commonName ?? commonName),
    der(SEQUENCE, time(new Date(Date.now() - halfDayMs)), time(new Date(Date.now() + halfDayMs))),
    nameOf(commonName),
    publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length === 0 ? [] : [der(explicit(3), der(SEQUENCE, ...extensions))]),
  );
  const signer = issuer ? createPrivateKey(issuer.key) : privateKey;
  const certificate = der(SEQUENCE, body, algorithm, der(BIT_STRING, Buffer.from([0]), sign('sha256', body, signer)));
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${certificate
      .toString('base64')
      .match(/.{1,64}/g)
      ?.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}

/** For 127.0.0.1 and localhost, signed by itself. */
export const createSelfSignedCertificate = (): Certificate =>
  createCertificate({ commonName: 'localhost', hosts: ['localhost', '127.0.0.1'] });
