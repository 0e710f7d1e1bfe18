//go:build cgo

package cgo

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCGoCallsC(t *testing.T) {
	assert.Equal(t, 7, Strlen("hiploom"))
	assert.Equal(t, 3, Strlen("hip\x00loom"), "C sees the string end at the zero byte")
}
