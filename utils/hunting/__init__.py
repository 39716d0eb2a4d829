"""The parts of utils/hunt: units of work, what they show, and the state of a campaign."""
