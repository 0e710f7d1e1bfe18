package aptrepo

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ProtonMail/go-crypto/openpgp/armor"
	"github.com/ProtonMail/go-crypto/openpgp/clearsign"
	pgperrors "github.com/ProtonMail/go-crypto/openpgp/errors"
	"github.com/ProtonMail/go-crypto/openpgp/packet"
	openpgp "github.com/ProtonMail/go-crypto/openpgp/v2"
)

const (
	maxKeyring     = 16 << 20
	clearsignStart = "-----BEGIN PGP SIGNED MESSAGE-----"
	armorStart     = "-----BEGIN PGP "
)

// Keyring holds the keys that may sign an archive.
type Keyring struct {
	path string
	keys openpgp.EntityList
}

// ReadKeyring reads the OpenPGP public keys in a file, binary or armored.
func ReadKeyring(path string) (*Keyring, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("keyring: %w; name the archive's keys with --keyring", err)
	}
	defer file.Close()
	data, err := readBounded(file, maxKeyring)
	if err != nil {
		return nil, fmt.Errorf("keyring %s: %w", path, err)
	}
	keys, err := parseKeys(data)
	if err == nil && len(keys) == 0 {
		err = errors.New("no key in it")
	}
	if err != nil {
		return nil, fmt.Errorf("keyring %s holds no OpenPGP keys (%w); write one with: gpg --export KEY", path, err)
	}
	return &Keyring{path, keys}, nil
}

func parseKeys(data []byte) (openpgp.EntityList, error) {
	if !bytes.HasPrefix(bytes.TrimSpace(data), []byte(armorStart)) {
		return openpgp.ReadKeyRing(bytes.NewReader(data))
	}
	var keys openpgp.EntityList
	for found := true; found && len(bytes.TrimSpace(data)) > 0; {
		block, err := armor.Decode(bytes.NewReader(data))
		if err != nil {
			return nil, err
		}
		if block.Type != openpgp.PublicKeyType {
			return nil, fmt.Errorf("armored %.40q instead of a public key", block.Type)
		}
		more, err := openpgp.ReadKeyRing(block.Body)
		if err != nil {
			return nil, err
		}
		keys = append(keys, more...)
		_, data, found = bytes.Cut(data, []byte("-----END PGP PUBLIC KEY BLOCK-----"))
	}
	return keys, nil
}

// verifyInline returns the signed text of a clearsigned file, and nothing that stands outside of its signature.
func (k *Keyring) verifyInline(data []byte, now time.Time) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte(clearsignStart)) {
		return nil, errors.New("not a clearsigned file; the address is not an apt archive's, or a proxy has answered in its place")
	}
	block, rest := clearsign.Decode(data)
	if block == nil {
		return nil, errors.New("clearsigned file is damaged; try another mirror")
	}
	if len(bytes.TrimSpace(rest)) > 0 {
		return nil, errors.New("unsigned text follows the signature; try another mirror")
	}
	signature, err := io.ReadAll(block.ArmoredSignature.Body)
	if err != nil {
		return nil, fmt.Errorf("signature is damaged: %w; try another mirror", err)
	}
	return block.Bytes, k.verify(block.Bytes, signature, now)
}

// verifyDetached checks the signature file of a signed file, as Release.gpg is of Release.
func (k *Keyring) verifyDetached(signed, signature []byte, now time.Time) error {
	if bytes.HasPrefix(bytes.TrimSpace(signature), []byte(armorStart)) {
		block, err := armor.Decode(bytes.NewReader(signature))
		if err == nil {
			signature, err = io.ReadAll(block.Body)
		}
		if err != nil {
			return fmt.Errorf("signature is damaged: %w; try another mirror", err)
		}
	}
	return k.verify(signed, signature, now)
}

// verify wants one good signature by a key that is good today: an expired key's owner no longer vouches for it, and a
// signature's own date proves nothing.
func (k *Keyring) verify(signed, signature []byte, now time.Time) error {
	config := &packet.Config{Time: func() time.Time { return now }}
	message, err := openpgp.VerifyDetachedSignatureReader(k.keys, bytes.NewReader(signed), bytes.NewReader(signature), config)
	if err == nil {
		_, err = io.Copy(io.Discard, message.UnverifiedBody)
	}
	if errors.Is(err, pgperrors.ErrUnknownIssuer) {
		return errors.New("holds no OpenPGP signature that can be checked; try another mirror")
	}
	if err != nil {
		return fmt.Errorf("signature is damaged: %w; try another mirror", err)
	}
	var problems []string
	for _, candidate := range message.SignatureCandidates {
		problem := k.problem(candidate, now, config)
		if problem == "" {
			return nil
		}
		problems = append(problems, fmt.Sprintf("key %016X %s", candidate.IssuerKeyId, problem))
	}
	return fmt.Errorf("no good signature: %s", strings.Join(problems, "; "))
}

func (k *Keyring) problem(candidate *openpgp.SignatureCandidate, now time.Time, config *packet.Config) string {
	renew := fmt.Sprintf(" (renew keyring %s)", k.path)
	switch err := candidate.SignatureError; {
	case candidate.SignedByEntity == nil:
		return fmt.Sprintf("is not in keyring %s (give the archive's own with --keyring)", k.path)
	case errors.Is(err, pgperrors.ErrKeyExpired):
		return "had expired when it signed" + renew
	case errors.Is(err, pgperrors.ErrKeyRevoked):
		return "is revoked" + renew
	case errors.Is(err, pgperrors.ErrSignatureExpired):
		return "made a signature that has expired (try another mirror)"
	case candidate.SignedBy == nil:
		return fmt.Sprintf("may not sign: %v", err) + renew
	case err != nil:
		return fmt.Sprintf("signed something else: %v (the file was changed; try another mirror)", err)
	}
	if _, usable := candidate.SignedByEntity.SigningKeyById(now, candidate.IssuerKeyId, config); !usable {
		return "has expired or is revoked" + renew
	}
	return ""
}
