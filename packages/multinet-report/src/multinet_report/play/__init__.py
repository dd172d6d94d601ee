"""A person as the model, playing in a browser (``multinet play``).

`person_model` is the model, for any run; `stage` connects it to the browser, `views` builds the JSON sent there,
`server` and `application` serve it, and `guard` checks requests.
"""
