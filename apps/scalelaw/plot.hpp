#pragma once

#include <functional>
#include <string>

#include "command.hpp"
#include "scalelaw/render/figure.hpp"

namespace scalelaw::cli {

/// Where a figure goes, and how it looks.
struct DrawingOptions {
  FigureTheme theme = FigureTheme::kLight;
  std::string output;
  bool terminal = false;
  std::string title;  ///< Words of the user's in place of ours; empty: ours.
  std::string x_label;
  std::string y_label;
  std::string size;  ///< "WxH" as it was given; empty: what suits the figure.
};

/// Adds -o, --theme, --terminal, --title, --xlabel, --ylabel and --size. `options` must outlive the
/// parsing.
void add_drawing_options(Options& command, DrawingOptions& options);

/// Makes a figure, draws it and says on stderr what to see in it. Returns the exit status.
/// @throws DataError before the figure is made if the output can be none.
int draw(const DrawingOptions& options, const GlobalOptions& global,
         const std::function<Figure()>& make);

}  // namespace scalelaw::cli
