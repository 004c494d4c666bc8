print("audiosession")
