// Reads a list of credentials from standard input, and writes for each whether Digital Bazaar's implementation accepts it.
import {createRequire} from 'node:module';
import {readFileSync} from 'node:fs';
import {pathToFileURL} from 'node:url';

const find = createRequire(`${process.env.VIVA_NODE_PACKAGES}/`); // where scripts/node_packages installs them
const load = async name => import(pathToFileURL(find.resolve(name)));
const {DataIntegrityProof} = await load('@digitalbazaar/data-integrity');
const {createVerifyCryptosuite} = await load('@digitalbazaar/eddsa-jcs-2022-cryptosuite');
const {default: jsigs} = await load('jsonld-signatures');

// A did:key is its own document: nothing is fetched.
const documentLoader = async url => {
  const [did, fragment] = url.split('#');
  if(!did.startsWith('did:key:')) {
    throw new Error(`${url} must not be needed.`);
  }
  const key = did.slice('did:key:'.length);
  const method = {
    '@context': 'https://w3id.org/security/multikey/v1',
    type: 'Multikey', id: `${did}#${key}`, controller: did, publicKeyMultibase: key
  };
  const controller = {'@context': 'https://www.w3.org/ns/did/v1', id: did, assertionMethod: [method.id], verificationMethod: [method]};
  return {contextUrl: null, documentUrl: url, document: fragment ? method : controller};
};

const answers = [];
for(const credential of JSON.parse(readFileSync(0, 'utf8'))) {
  const suite = new DataIntegrityProof({cryptosuite: createVerifyCryptosuite()});
  const purpose = new jsigs.purposes.AssertionProofPurpose();
  const {verified, error} = await jsigs.verify(credential, {suite, purpose, documentLoader});
  const isIssuers = credential.proof.verificationMethod.startsWith(credential.issuer.id + '#');
  if(!verified && process.env.EXPLAIN) {
    console.error(JSON.stringify(error?.errors?.map(cause => cause.message) ?? error));
  }
  answers.push(verified && isIssuers);
}
console.log(JSON.stringify(answers));
