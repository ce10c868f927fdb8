"""Words, sentences, stems and languages: what any text is made of."""
