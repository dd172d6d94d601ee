"""`multinet play`: a person as the model, who plays in a browser.

`person_model` is the model, which any run can be played with; `stage` is where it meets the browser, `views` what is
sent there, `server` and `application` what sends it, and `guard` decides on who is answered.
"""
