import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../run-command.ts';

export interface Certificate {
  readonly certFile: string;
  readonly keyFile: string;
  /** The certificate in PEM; it signs itself, so a client trusts it as its authority. */
  readonly ca: string;
}

/** Made for the test run: a committed one would expire some day and fail every build from then on. */
export async function makeCertificate(folder: string): Promise<Certificate> {
  const certFile = join(folder, 'cert.pem');
  const keyFile = join(folder, 'key.pem');
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-keyout', keyFile];
  await runCommand('openssl', ['req', '-x509', '-days', '2', ...subject, ...key, '-out', certFile]);
  return { certFile, keyFile, ca: readFileSync(certFile, 'utf8') };
}
