package rocm

import ("testing"; "github.com/stretchr/testify/require")

func TestOne(t *testing.T) { require.Equal(t, uint32(1), One()) }
