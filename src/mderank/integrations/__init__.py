"""mderank inside other tools: spaCy pipelines, Ray and Spark jobs."""
