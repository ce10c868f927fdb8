"""The rules of memory as plain functions: merging, policy, audience, limits, secrets."""
