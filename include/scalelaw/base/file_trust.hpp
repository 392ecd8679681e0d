#pragma once

#include <string>

namespace scalelaw {

/// Why somebody other than the user and root may have made a file what it is: a sentence's end such
/// as "/data belongs to another user". Looks at the file and at every folder above it, by its name
/// and by the place to which links lead. A folder in which all may write counts only where they
/// cannot replace what others keep there (the sticky bit of /tmp), and a group may write where it
/// is the user's own, with the same number.
/// @return  Empty if nobody else can have; also for a file that is not there.
std::string foreign_hand_on(const std::string& path);

}  // namespace scalelaw
